// Public keys of those who send lines over TCP. They prove who they are by signing a challenge.
//
// A line of the file is `USER ec-p-256-sha256 X Y`: the user whose rights the lines have, and the coordinates of a key
// of the curve P-256 in URL-safe Base64, as senders of the line protocol know them. Never changed: thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pelorus {

class LineKeys {
public:
    // Takes the text of a file. Throws UserError naming the file and the line that is wrong.
    LineKeys(std::string_view string, const std::string& file);

    // Returns whether the signature, in the form of ASN.1 or as 64 bytes, of the challenge is by the key of this user.
    bool verify(const std::string& user, std::string_view challenge, std::string_view signature) const;

    // Returns random letters and digits, as many as a challenge has.
    static std::string makeChallenge();

private:
    struct Key {
        std::string point;  // uncompressed
    };
    std::map<std::string, Key, std::less<>> keys_;  // by user
};

}  // namespace pelorus
