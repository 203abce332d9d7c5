#include "server/postgres/wire/startup.h"

#include <string_view>

#include "net/connection.h"
#include "postgres/sql_error.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus::postgres {
namespace {

constexpr int32_t kCancelRequest = (1234 << 16) + 5678;
constexpr int32_t kTlsRequest = (1234 << 16) + 5679;
constexpr int32_t kGssRequest = (1234 << 16) + 5680;
constexpr int kMinStartupBytes = 8;
constexpr size_t kMaxSecretBytes = 256;

std::string receiveBody(Connection& connection) {
    char head[4];
    connection.read(head, sizeof head);
    const int32_t length = MessageReader({head, sizeof head}).int32();
    if (length < kMinStartupBytes || length > kMaxStartupBytes) refuseMessage("invalid length of startup packet");
    std::string body(static_cast<size_t>(length) - sizeof head, '\0');
    connection.read(body.data(), body.size());
    return body;
}

StartupRequest parseCancel(MessageReader& reader) {
    StartupRequest request;
    request.kind = StartupRequest::Kind::Cancel;
    request.processId = reader.int32();
    request.secret = reader.rest();
    if (request.secret.size() > kMaxSecretBytes) refuseMessage("the secret of a request to cancel is too long");
    return request;
}

}  // namespace

StartupRequest parseStartup(std::string_view body) {
    MessageReader reader(body);
    const int32_t version = reader.int32();
    if (version == kCancelRequest) return parseCancel(reader);
    if (version >> 16 != kProtocolVersion >> 16) {
        throw SqlError("0A000", "unsupported frontend protocol " +
                                    std::to_string(static_cast<uint32_t>(version) >> 16) + "." +
                                    std::to_string(version & 0xFFFF) + ": server supports 3.0 to 3.0");
    }
    StartupRequest request;
    request.kind = StartupRequest::Kind::Session;
    request.isNewer = version > kProtocolVersion;
    for (std::string_view name = reader.string(); !name.empty(); name = reader.string()) {
        const std::string_view value = reader.string();
        if (name.starts_with("_pq_.")) {
            request.unknownOptions.emplace_back(name);
        } else {
            request.parameters[std::string(name)] = value;
        }
    }
    reader.requireEnd();
    if (request.parameters["user"].empty())
        throw SqlError("28000", "no PostgreSQL user name specified in startup packet");
    return request;
}

StartupRequest receiveStartup(Connection& connection, const std::shared_ptr<const TlsContext>& tls) {
    bool hasAskedForTls = false, hasAskedForGss = false;
    for (;;) {
        if (connection.peek(1).empty()) return {};
        const std::string body = receiveBody(connection);
        const int32_t code = MessageReader(body).int32();
        bool& hasAsked = code == kTlsRequest ? hasAskedForTls : hasAskedForGss;
        if ((code != kTlsRequest && code != kGssRequest) || hasAsked || body.size() != 4) return parseStartup(body);
        hasAsked = true;
        const bool encrypts = code == kTlsRequest && tls != nullptr && !connection.isEncrypted();
        // What arrived before the handshake was not encrypted, and must not be taken for what came behind it.
        if (encrypts && connection.hasUnread()) refuseMessage("received unencrypted data after SSL request");
        connection.write(encrypts ? "S" : "N");
        if (encrypts) connection.beginTls(*tls);
    }
}

}  // namespace pelorus::postgres
