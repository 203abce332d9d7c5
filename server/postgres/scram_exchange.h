// ScramExchange is the server's side of one login by SCRAM-SHA-256, without channel binding.
#pragma once

#include <string>
#include <string_view>

#include "server/access/scram_verifier.h"

namespace pelorus::postgres {

// The messages of one login, in their order: the client's first one, the server's answer, the client's proof, the
// server's last one. The thread of the connection owns it.
class ScramExchange {
public:
    static constexpr std::string_view kMechanism = "SCRAM-SHA-256";

    // `nonce` is random, of printable characters but the comma.
    ScramExchange(ScramVerifier verifier, std::string nonce)
        : verifier_(std::move(verifier)), nonce_(std::move(nonce)) {}

    // Returns the answer to the client's first message. Throws SqlError 08P01 for one that is none, and 0A000 for one
    // that needs channel binding.
    std::string answer(std::string_view clientFirst);
    // Sets `last` to the last message if the client's one proves the password, and returns false if it does not. Throws
    // SqlError 08P01 for one that does not belong to this exchange.
    bool finish(std::string_view clientFinal, std::string& last);

private:
    const ScramVerifier verifier_;
    std::string nonce_;       // the client's, too, once it has come
    std::string header_;      // what the client says about channel binding
    std::string clientBare_;  // its first message without that
    std::string answer_;
};

}  // namespace pelorus::postgres
