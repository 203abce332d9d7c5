// Connections for which the server has no place: each client gets the reason and the time to read it.
//
// Owned by one thread, which never waits for them.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

namespace pelorus {

class Connection;

class RefusedConnections {
public:
    RefusedConnections();
    ~RefusedConnections();

    // Writes the reason as the answer to the client's first request.
    void add(std::unique_ptr<Connection> connection, const std::string& reason);
    // Drops arrived bytes, and closes connections whose clients have left or whose time is over. Called some times a
    // second.
    void look();

private:
    struct Refused {
        std::unique_ptr<Connection> connection;
        std::chrono::steady_clock::time_point until;
    };
    std::list<Refused> list_;  // oldest first, bounded
};

}  // namespace pelorus
