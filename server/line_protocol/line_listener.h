// The line protocol's port: each connection sends lines, and gets nothing back.
//
// Rows are committed each 100 ms, each 64 Ki rows and when the connection ends. A bad line is logged and ends its
// connection; the whole lines before it are stored. With keys, who sends names a user first and signs a challenge;
// without them only this machine is listened to.
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

class LineListener {
public:
    // Takes the port. Throws SystemError when it is in use. `principals` makes the writer of a user; `tls`
    // may be null. All outlive the listener.
    LineListener(const LineService& service, PrincipalSource& principals, NodeIdentity& identity,
                 std::shared_ptr<const TlsContext> tls);
    // Stops: takes no more bytes, commits what has arrived in whole lines, and waits for the threads.
    ~LineListener();
    LineListener(const LineListener&) = delete;
    LineListener& operator=(const LineListener&) = delete;

    int port() const;
    void start();
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
    std::list<std::unique_ptr<Client>> clients_;  // of the accepting thread, and of stop() behind it
    std::atomic<bool> stopping_{false};
    std::atomic<int> unidentified_{0};  // connections that have not signed the challenge yet
    std::thread acceptThread_;
};

}  // namespace pelorus
