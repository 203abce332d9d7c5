#include "server/postgres/postgres_login.h"

#include "common/error.h"
#include "common/io/base64.h"
#include "net/connection.h"
#include "net/host_name.h"
#include "postgres/sql_error.h"
#include "server/access/access_control.h"
#include "server/access/client_policy.h"
#include "server/access/password_hash.h"
#include "server/access/password_login.h"
#include "server/postgres/answer_writer.h"
#include "server/postgres/scram_exchange.h"
#include "server/postgres/wire/frame_reader.h"
#include "server/session/server_parts.h"

namespace pelorus::postgres {
namespace {

constexpr int32_t kOk = 0, kClearPassword = 3, kSasl = 10, kSaslContinue = 11, kSaslFinal = 12;
constexpr size_t kNonceBytes = 18;

void ask(AnswerWriter& answer, int32_t method) {
    answer.messages().begin('R');
    answer.messages().int32(method);
    answer.messages().end();
}

[[noreturn]] void refusePassword(const std::string& user, const UserError& error) {
    throw SqlError("28P01", "password authentication failed for user \"" + user + "\"", -1, error.what());
}

void requireClearPassword(const LoginAttempt& attempt) {
    ask(attempt.answer, kClearPassword);
    attempt.answer.flush();
    const std::string password = receivePassword(attempt.connection);
    try {
        requirePassword(attempt.server.access, attempt.server.throttle.get(),
                        {.user = attempt.user,
                         .password = password,
                         .address = attempt.address,
                         .isEncrypted = attempt.connection.isEncrypted()});
    } catch (const UserError& error) {
        refusePassword(attempt.user, error);
    }
}

void send(AnswerWriter& answer, int32_t kind, std::string_view bytes) {
    answer.messages().begin('R');
    answer.messages().int32(kind);
    answer.messages().raw(bytes);
    answer.messages().end();
    answer.flush();
}

// Returns the client's first message of SCRAM, which says the mechanism, too.
std::string receiveClientFirst(Connection& connection) {
    const std::string body = receiveResponse(connection);
    MessageReader reader(body);
    if (reader.string() != ScramExchange::kMechanism)
        refuseMessage("client selected an invalid SASL authentication mechanism");
    const int32_t length = reader.int32();
    if (length < 0) refuseMessage("a login by SCRAM begins with a message of the client");
    std::string first(reader.bytes(static_cast<size_t>(length)));
    reader.requireEnd();
    return first;
}

void requireScram(const LoginAttempt& attempt) {
    ScramExchange exchange(attempt.server.access.scramVerifierOf(attempt.user), toBase64(randomBytes(kNonceBytes)));
    send(attempt.answer, kSasl, std::string(ScramExchange::kMechanism) + std::string(2, '\0'));
    send(attempt.answer, kSaslContinue, exchange.answer(receiveClientFirst(attempt.connection)));
    const std::string proof = receiveResponse(attempt.connection);
    std::string last;
    try {
        requireProof(attempt.server.throttle.get(),
                     {.user = attempt.user, .password = {}, .address = attempt.address, .isEncrypted = true},
                     [&] { return exchange.finish(proof, last); });
    } catch (const SqlError&) {
        throw;
    } catch (const UserError& error) {
        refusePassword(attempt.user, error);
    }
    send(attempt.answer, kSaslFinal, last);
}

}  // namespace

std::string logIn(const LoginAttempt& attempt) {
    const ClientPolicy& policy = attempt.server.policy;
    const bool isLocal = isLoopbackAddress(attempt.address);
    const bool isEncrypted = attempt.connection.isEncrypted();
    if (policy.requireTls && !isEncrypted && !isLocal)
        throw SqlError("28000", "this server takes connections from other machines by TLS only");
    std::string user = attempt.user;
    if (policy.guestsOwnData && isLocal) {
        if (!attempt.server.access.hasUser(user)) user = "guest";
    } else if (isEncrypted || isLocal) {
        requireClearPassword(attempt);
    } else if (policy.keepsScram) {
        requireScram(attempt);
    } else {
        throw SqlError("28000", "a password is not taken in clear from another machine", -1,
                       "Connect by TLS: sslmode=require.");
    }
    ask(attempt.answer, kOk);
    return user;
}

}  // namespace pelorus::postgres
