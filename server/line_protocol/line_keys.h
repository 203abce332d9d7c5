// LineKeys holds the public keys of the users who send lines over TCP. They authenticate by signing a challenge.
//
// A line of the file is `USER ec-p-256-sha256 X Y`: the user whose rights the lines have, and the coordinates of a key
// of the curve P-256 in URL-safe Base64, as senders of the line protocol know them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pelorus {

// The keys by user. Immutable, and so thread-safe.
class LineKeys {
public:
    // Parses the contents of a key file; `file` is its name. Throws UserError naming the file and the line that is
    // wrong.
    LineKeys(std::string_view string, const std::string& file);

    // Returns whether the signature of the challenge is by the key of this user; false for an unknown user. The
    // signature is in ASN.1 form or 64 bytes.
    bool verify(const std::string& user, std::string_view challenge, std::string_view signature) const;

    // Returns a new challenge of random letters and digits.
    static std::string makeChallenge();

private:
    struct Key {
        std::string point;  // point of the curve, uncompressed
    };
    std::map<std::string, Key, std::less<>> keys_;  // keys by user
};

}  // namespace pelorus
