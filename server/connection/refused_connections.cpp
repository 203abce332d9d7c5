#include "server/connection/refused_connections.h"

#include "common/error.h"
#include "net/connection.h"
#include "net/frame.h"

namespace pelorus {
namespace {

constexpr auto kTimeToRead = std::chrono::seconds(2);
constexpr size_t kMax = 256;

}  // namespace

RefusedConnections::RefusedConnections() = default;
RefusedConnections::~RefusedConnections() = default;

void RefusedConnections::add(std::unique_ptr<Connection> connection, const std::string& reason) {
    if (list_.size() >= kMax) list_.pop_front();
    try {
        // Fits into the buffer of a new socket, so it does not wait.
        connection->write(formatError(0, reason));
    } catch (const Error&) {
        return;  // the client has left
    }
    connection->closeForWriting();
    list_.push_back({std::move(connection), std::chrono::steady_clock::now() + kTimeToRead});
}

void RefusedConnections::look() {
    const auto now = std::chrono::steady_clock::now();
    for (auto it = list_.begin(); it != list_.end();) {
        it = it->connection->dropArrived() || it->until < now ? list_.erase(it) : std::next(it);
    }
}

}  // namespace pelorus
