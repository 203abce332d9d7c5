// Server listens on one port and serves each client on a separate thread.
#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "server/connection/client_connection.h"
#include "server/connection/refused_connections.h"

namespace pelorus {

class Acceptor;
struct NodeIdentity;

// Opens the port of a node, 0 for any free one, and stores host and port in `identity`. Throws SystemError when the
// port is in use.
std::unique_ptr<Acceptor> openPort(const std::string& host, int port, NodeIdentity& identity);

// The server of a process; NodeListeners owns it. A thread accepts clients, refuses those beyond the limits, tends
// running requests and joins the threads of clients that have left.
class Server {
public:
    // Opens the port, 0 for any free one, and stores it in `identity`, with an alias if it has none. Throws SystemError
    // when the port is in use. Clients that connect now wait for `start`. `identity` outlives the server.
    Server(const std::string& host, int port, NodeIdentity& identity, ServerParts parts);
    // Serves on a port that is already open.
    Server(std::unique_ptr<Acceptor> acceptor, NodeIdentity& identity, ServerParts parts);
    // Calls `stop`.
    ~Server();

    int port() const;
    // Accepts clients on a further port, too. REQUIRES: the server was not started.
    void listenOn(std::unique_ptr<Acceptor> further);
    // Starts the accepting thread. Throws SystemError when it cannot be started.
    void start();
    // Refuses new requests, gives running ones three seconds, cancels the rest, and waits for all threads. A later
    // call does nothing and does not wait, also one of another server with the same parts.
    void stop();

private:
    struct Client {
        std::unique_ptr<ClientConnection> connection;
        std::thread thread;
        std::atomic<bool> ended{false};
    };

    void acceptLoop();
    void startClient(std::unique_ptr<Connection> connection);
    std::string whyRefused(const std::string& host);
    void giveBackMemory();
    void reap(bool all);

    NodeIdentity& identity_;
    ServerParts parts_;
    std::unique_ptr<Acceptor> acceptor_;
    std::unique_ptr<Acceptor> furtherAcceptor_;  // null: there is one port
    Mutex clientsMutex_;
    std::list<std::unique_ptr<Client>> clients_ GUARDED_BY(clientsMutex_);
    std::atomic<bool> stopping_{false};
    RefusedConnections refused_;                           // used by the accepting thread alone
    std::chrono::steady_clock::time_point lastGivenBack_;  // used by the accepting thread alone
    std::thread acceptThread_;
};

}  // namespace pelorus
