#include "server/connection/server.h"

#include <algorithm>
#include <chrono>

#include "common/error.h"
#include "common/log.h"
#include "common/thread/thread_start.h"
#include "database/service/node_identity.h"
#include "net/connection.h"
#include "net/host_name.h"
#include "postgres/cache/statement_cache.h"
#include "runtime/memory/kept_blocks.h"
#include "server/session/json_sessions.h"
#include "server/session/session_registry.h"

namespace pelorus {
namespace {

// Interval between checks of running requests: for clients that left, and for those that run for long.
constexpr int kWatchMillis = 100;
// Interval between looks for memory that clients which left do not use any more; time for running requests when the
// server is told to stop.
constexpr auto kGiveBackInterval = std::chrono::milliseconds(2000);
constexpr auto kTimeToEnd = std::chrono::seconds(3);

}  // namespace

std::unique_ptr<Acceptor> openPort(const std::string& host, int port, NodeIdentity& identity) {
    auto acceptor = std::make_unique<Acceptor>(host, port);
    identity.host = host;
    identity.port = acceptor->port();
    if (identity.alias.empty()) identity.alias = "local" + std::to_string(identity.port);
    return acceptor;
}

Server::Server(const std::string& host, int port, NodeIdentity& identity, ServerParts parts)
    : Server(openPort(host, port, identity), identity, std::move(parts)) {}

Server::Server(std::unique_ptr<Acceptor> acceptor, NodeIdentity& identity, ServerParts parts)
    : identity_(identity), parts_(std::move(parts)), acceptor_(std::move(acceptor)) {
    parts_.jsonSessions = std::make_shared<JsonSessions>(parts_.host, parts_.sessions);
    parts_.nodeName = identity_.host;
    parts_.statements = std::make_shared<postgres::StatementCache>();
}

Server::~Server() {
    stop();
}

int Server::port() const {
    return acceptor_->port();
}

void Server::listenOn(std::unique_ptr<Acceptor> further) {
    furtherAcceptor_ = std::move(further);
}

void Server::start() {
    acceptThread_ = startThread([this] { acceptLoop(); });
}

void Server::acceptLoop() {
    while (!stopping_) {
        if (auto connection = acceptor_->acceptWith(furtherAcceptor_.get(), kWatchMillis)) {
            ++parts_.state->accepted;
            startClient(std::move(connection));
        }
        parts_.jsonSessions->expire();
        reap(false);
        refused_.look();
        giveBackMemory();
        const MutexLock lock(clientsMutex_);
        for (auto& client : clients_) client->connection->tend();
    }
}

void Server::giveBackMemory() {
    const auto now = std::chrono::steady_clock::now();
    if (now - lastGivenBack_ < kGiveBackInterval) return;
    lastGivenBack_ = now;
    memory::giveBackUnused();
}

void Server::startClient(std::unique_ptr<Connection> connection) {
    if (const std::string reason = whyRefused(connection->peerHost()); !reason.empty()) {
        ++parts_.state->refused;
        logWarning("server", "connection refused", {{"from", connection->peerHost()}, {"why", reason}});
        return refused_.add(std::move(connection), reason);
    }
    auto client = std::make_unique<Client>();
    const bool isFull = identity_.connections >= identity_.maxConnections;
    client->connection = std::make_unique<ClientConnection>(std::move(connection), parts_, isFull);
    ++identity_.connections;
    try {
        client->thread = startThread([this, raw = client.get()] {
            raw->connection->serve();
            --identity_.connections;
            raw->ended = true;
        });
    } catch (const SystemError&) {
        // Refused like a client beyond the limit; existing connections continue.
        --identity_.connections;
        client->connection->turnAway("The server has no thread for another connection. Try again later.");
        return;
    }
    const MutexLock lock(clientsMutex_);
    clients_.push_back(std::move(client));
}

// Returns an empty string when there is a place, if necessary that of an unauthenticated client
// that is silent or failed to log in.
std::string Server::whyRefused(const std::string& host) {
    const ClientPolicy& policy = parts_.policy;
    const int most = identity_.maxConnections;
    const int places = most + (policy.guestsMayRun ? 0 : policy.administratorPlaces);
    if (identity_.connections >= places) {
        return "The server has " + std::to_string(most) +
               " connections, which is its limit. Close some, or raise maxConnections.";
    }
    if (policy.guestsMayRun) return "";
    static const std::string kCrowd = "Too many connections wait for a login. Try again in some seconds.";
    const MutexLock lock(clientsMutex_);
    const auto makePlace = [&](int most, auto&& counts) EXCLUSIVE_LOCKS_REQUIRED(clientsMutex_) {
        int unauthenticated = 0;
        ClientConnection* oldestSilent = nullptr;
        ClientConnection* oldestFailed = nullptr;
        for (const auto& client : clients_) {  // oldest first
            ClientConnection& connection = *client->connection;
            if (client->ended || !connection.isUnauthenticated() || connection.isTurnedAway() || !counts(connection))
                continue;
            ++unauthenticated;
            if (!oldestSilent && connection.isSilent()) oldestSilent = &connection;
            if (!oldestFailed && connection.hasFailedToLogIn()) oldestFailed = &connection;
        }
        if (unauthenticated < most) return true;
        // Silent clients make way, then those that guess passwords: neither lock others out.
        if (oldestSilent) {
            oldestSilent->turnAway(kCrowd);
        } else if (oldestFailed) {
            oldestFailed->turnAway();
        }
        return oldestSilent != nullptr || oldestFailed != nullptr;
    };
    const auto isFromThere = [&](const ClientConnection& c) { return c.peerHost() == host; };
    const bool hasPlace = (isLoopbackAddress(host) || makePlace(policy.maxUnauthenticatedPerAddress, isFromThere)) &&
                          makePlace(policy.maxUnauthenticated, [](const ClientConnection&) { return true; });
    return hasPlace ? "" : kCrowd;
}

// Joins the threads of clients that have left, or of all.
void Server::reap(bool all) {
    std::list<std::unique_ptr<Client>> gone;
    {
        const MutexLock lock(clientsMutex_);
        for (auto it = clients_.begin(); it != clients_.end();) {
            auto next = std::next(it);
            if (all || (*it)->ended) gone.splice(gone.end(), clients_, it);
            it = next;
        }
    }
    for (auto& client : gone) {
        if (all) client->connection->stop();
        client->thread.join();
    }
}

void Server::stop() {
    if (parts_.state->isStopping.exchange(true)) return;
    const auto isBusy = [this] {
        const MutexLock lock(clientsMutex_);
        return std::any_of(clients_.begin(), clients_.end(),
                           [](const auto& client) { return client->connection->isBusy(); });
    };
    // Requests and health checks that arrive meanwhile are answered that the server stops.
    const auto end = std::chrono::steady_clock::now() + kTimeToEnd;
    while (isBusy() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    stopping_ = true;
    if (acceptThread_.joinable()) acceptThread_.join();
    {
        const MutexLock lock(clientsMutex_);
        for (auto& client : clients_) client->connection->stop();
    }
    reap(true);
}

}  // namespace pelorus
