// ScramVerifier is what a server keeps of a password to check a proof of it by SCRAM-SHA-256 (RFC 5802, RFC 7677),
// which PostgreSQL's clients give where a password must not be sent in clear. It does not let its holder log in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pelorus {

struct ScramVerifier {
    static constexpr int kRounds = 65'536;

    int rounds = kRounds;
    std::string salt;
    std::string storedKey;
    std::string serverKey;

    // Makes that of a password. Costs some 25 ms with kRounds, by design.
    static ScramVerifier of(std::string_view password, std::string salt, int rounds = kRounds);
    // Makes one that no proof meets, the same each time for one name, so that an exchange does not tell whether a user
    // exists. `key` is a secret of the process.
    static ScramVerifier ofNobody(std::string_view user, std::string_view key);

    // Returns and parses the form that is stored: SCRAM-SHA-256$<rounds>:<salt>$<stored key>:<server key>, in Base64.
    // `parse` returns nothing for another form.
    std::string encode() const;
    static std::optional<ScramVerifier> parse(std::string_view encoded);

    // Returns whether the proof is that of the password for this exchange, whose messages are `authMessage`.
    bool isProof(std::string_view proof, std::string_view authMessage) const;
    // Returns what shows the client that the server knows the verifier.
    std::string signature(std::string_view authMessage) const;
};

}  // namespace pelorus
