// The first messages of a client of PostgreSQL's protocol: requests for encryption, a request to cancel, and the
// parameters of a session.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pelorus {
class Connection;
class TlsContext;
}  // namespace pelorus

namespace pelorus::postgres {

// What a client wants.
struct StartupRequest {
    enum class Kind : uint8_t { Session, Cancel, Left };
    Kind kind = Kind::Left;
    std::map<std::string, std::string> parameters;  // of a session
    bool isNewer = false;                           // asks for a later protocol 3 than ours
    std::vector<std::string> unknownOptions;        // of protocols to come, which are refused without harm
    int32_t processId = 0;                          // of the session to cancel, and its secret
    std::string secret;
};

// The newest protocol that is spoken, 3.0.
constexpr int32_t kProtocolVersion = 3 << 16;
// A message before the login is no longer.
constexpr int32_t kMaxStartupBytes = 10'000;

// Receives the messages up to the one that says what the client wants, and puts TLS on the connection where it asks for
// it; `tls` is null where there is none. Throws SqlError for what is none of them, SystemError when the client leaves
// in the middle.
StartupRequest receiveStartup(Connection& connection, const std::shared_ptr<const TlsContext>& tls);

// Parses the body of the message, behind its length. Throws SqlError.
StartupRequest parseStartup(std::string_view body);

}  // namespace pelorus::postgres
