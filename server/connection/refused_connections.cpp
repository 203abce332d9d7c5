#include "server/connection/refused_connections.h"

#include "common/error.h"
#include "net/connection.h"
#include "net/frame.h"
#include "server/postgres/wire/error_response.h"
#include "server/postgres/wire/wire_messages.h"

namespace pelorus {
namespace {

constexpr auto kTimeToRead = std::chrono::seconds(2);
constexpr auto kTimeToSpeak = std::chrono::milliseconds(200);
constexpr size_t kMax = 256;

}  // namespace

RefusedConnections::RefusedConnections() = default;
RefusedConnections::~RefusedConnections() = default;

void RefusedConnections::add(std::unique_ptr<Connection> connection, const std::string& reason) {
    if (list_.size() >= kMax) list_.pop_front();
    Refused refused{std::move(connection), std::chrono::steady_clock::now(), reason};
    if (tell(refused)) list_.push_back(std::move(refused));
}

bool RefusedConnections::tell(Refused& refused) {
    Connection& connection = *refused.connection;
    const int first = connection.arrivedByte();
    if (first < 0 && std::chrono::steady_clock::now() < refused.since + kTimeToSpeak) return !connection.peerHasLeft();
    try {
        // Fits into the buffer of a new socket, so it does not wait.
        if (first == 0) {
            postgres::MessageWriter message;
            postgres::writeReport(message,
                                  {.severity = postgres::Severity::Fatal, .state = "53300", .message = refused.reason});
            connection.write(message.buffer());
        } else {
            connection.write(formatError(0, refused.reason));
        }
    } catch (const Error&) {
        return false;
    }
    connection.closeForWriting();
    refused.reason.clear();
    return true;
}

void RefusedConnections::look() {
    const auto now = std::chrono::steady_clock::now();
    for (auto it = list_.begin(); it != list_.end();) {
        const bool isTold = it->reason.empty();
        const bool hasLeft = isTold ? it->connection->dropArrived() || it->since + kTimeToRead < now : !tell(*it);
        it = hasLeft ? list_.erase(it) : std::next(it);
    }
}

}  // namespace pelorus
