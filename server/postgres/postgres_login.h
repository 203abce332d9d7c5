// Logins of PostgreSQL's protocol.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {
class Connection;
struct ServerParts;
}  // namespace pelorus

namespace pelorus::postgres {

class AnswerWriter;

// Who logs in, from where.
struct LoginAttempt {
    Connection& connection;
    ServerParts& server;
    AnswerWriter& answer;
    std::string user;  // as the client names itself
    std::string address;
};

// Asks for what proves who the client is, and returns the name of the user: the client's own after a password in clear,
// which is asked for by TLS or on this machine alone, or a proof of it by SCRAM-SHA-256; without one on a development
// server, where a name that is no user's denotes the guest. Throws SqlError 28P01 for a wrong one, 28000 when none can
// be asked for.
std::string logIn(const LoginAttempt& attempt);

}  // namespace pelorus::postgres
