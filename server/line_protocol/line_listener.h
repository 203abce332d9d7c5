// LineListener serves the TCP port of the line protocol: each connection sends lines, and gets nothing back.
//
// Rows are committed each 100 ms, each 64 Ki rows and when the connection ends. A bad line is logged and ends its
// connection; the complete lines before it are stored. With keys, the sender names a user first and signs a challenge;
// without keys the port is open to this machine only, and all lines are written by the user in ilpUser.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "server/line_protocol/line_service.h"

namespace pelorus {

class Acceptor;
class Connection;
class PrincipalSource;
class TlsContext;
struct NodeIdentity;

// The listener of a node, with one thread for each connection. Its connections count against maxConnections.
class LineListener {
public:
    // Opens the port. Throws SystemError when it is in use. `principals` makes the principal of a writer; `tls` may be
    // null: there is no TLS. All outlive the listener.
    LineListener(const LineService& service, PrincipalSource& principals, NodeIdentity& identity,
                 std::shared_ptr<const TlsContext> tls);
    // Calls `stop`.
    ~LineListener();
    LineListener(const LineListener&) = delete;
    LineListener& operator=(const LineListener&) = delete;

    int port() const;
    // Starts the accepting thread.
    void start();
    // Reads no more bytes, commits the complete lines that have arrived, and waits for the threads.
    void stop();

private:
    struct Client {
        std::unique_ptr<Connection> connection;
        std::thread thread;
        std::atomic<bool> hasEnded{false};
    };

    void acceptLoop();
    void startClient(std::unique_ptr<Connection> connection);
    void serve(Connection& connection);
    std::string identify(Connection& connection) const;
    void takeLines(Connection& connection, const std::string& user);
    void reap(bool all);

    const LineService& service_;
    PrincipalSource& principals_;
    NodeIdentity& identity_;
    const std::shared_ptr<const TlsContext> tls_;
    std::unique_ptr<Acceptor> acceptor_;
    std::list<std::unique_ptr<Client>> clients_;  // used by the accepting thread, and by stop() after it has ended
    std::atomic<bool> stopping_{false};
    std::atomic<int> unidentified_{0};  // connections that have not signed the challenge yet
    std::thread acceptThread_;
};

}  // namespace pelorus
