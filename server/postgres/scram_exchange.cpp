#include "server/postgres/scram_exchange.h"

#include "common/io/base64.h"
#include "postgres/sql_error.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

// Takes "x=value" up to the next comma from a message.
std::string_view takeAttribute(std::string_view& message, char name) {
    if (message.size() < 2 || message[0] != name || message[1] != '=') refuseMessage("malformed SCRAM message");
    const size_t end = std::min(message.find(','), message.size());
    const std::string_view value = message.substr(2, end - 2);
    message.remove_prefix(std::min(end + 1, message.size()));
    return value;
}

}  // namespace

std::string ScramExchange::answer(std::string_view clientFirst) {
    const size_t first = clientFirst.find(',');
    const size_t second = first == std::string_view::npos ? first : clientFirst.find(',', first + 1);
    if (second == std::string_view::npos) refuseMessage("malformed SCRAM message");
    header_ = clientFirst.substr(0, second + 1);
    if (header_.starts_with('p'))
        throw SqlError(sql_state::kFeatureNotSupported, "channel binding is not supported", -1,
                       "Use channel_binding=prefer.");
    if (header_ != "n,," && header_ != "y,,") refuseMessage("malformed SCRAM message");
    clientBare_ = clientFirst.substr(second + 1);
    std::string_view rest = clientBare_;
    takeAttribute(rest, 'n');  // the name of the startup message counts
    const std::string_view clientNonce = takeAttribute(rest, 'r');
    if (clientNonce.empty()) refuseMessage("malformed SCRAM message");
    nonce_ = std::string(clientNonce) + nonce_;
    answer_ = "r=" + nonce_ + ",s=" + toBase64(verifier_.salt) + ",i=" + std::to_string(verifier_.rounds);
    return answer_;
}

bool ScramExchange::finish(std::string_view clientFinal, std::string& last) {
    const size_t proofAt = clientFinal.rfind(",p=");
    if (proofAt == std::string_view::npos) refuseMessage("malformed SCRAM message");
    const std::string_view withoutProof = clientFinal.substr(0, proofAt);
    std::string_view rest = withoutProof;
    const std::string_view binding = takeAttribute(rest, 'c');
    if (binding != toBase64(header_) || takeAttribute(rest, 'r') != nonce_)
        refuseMessage("SCRAM message of another exchange");
    std::string proof;
    if (!fromBase64(clientFinal.substr(proofAt + 3), proof)) refuseMessage("malformed SCRAM message");
    const std::string authMessage = clientBare_ + ',' + answer_ + ',' + std::string(withoutProof);
    if (!verifier_.isProof(proof, authMessage)) return false;
    last = "v=" + toBase64(verifier_.signature(authMessage));
    return true;
}

}  // namespace pelorus::postgres
