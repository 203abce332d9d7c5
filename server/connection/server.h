// Listens on one port and serves each client on a separate thread.
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

// Opens the port of a node, 0 for any, and tells the node's identity where it is reached. Throws SystemError when the
// port is taken.
std::unique_ptr<Acceptor> openPort(const std::string& host, int port, NodeIdentity& identity);

class Server {
public:
    // Takes the port: 0 for any free one. Throws SystemError when it is in use. Clients that connect now wait for
    // `start`. Fills in the address of `identity`, and an alias if it has none.
    Server(const std::string& host, int port, NodeIdentity& identity, ServerParts parts);
    // Serves on a port that is open already.
    Server(std::unique_ptr<Acceptor> acceptor, NodeIdentity& identity, ServerParts parts);
    // Stops.
    ~Server();

    int port() const;
    void start();
    // Accepts no more clients and takes no new requests; grants running ones three seconds, cancels the rest and waits
    // for all threads.
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
    Mutex clientsMutex_;
    std::list<std::unique_ptr<Client>> clients_ GUARDED_BY(clientsMutex_);
    std::atomic<bool> stopping_{false};
    RefusedConnections refused_;                           // of the accepting thread
    std::chrono::steady_clock::time_point lastGivenBack_;  // of the thread that accepts
    std::thread acceptThread_;
};

}  // namespace pelorus
