// Clients for whom the server has no place: each is told why and given the time to read it.
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

    // Writes the reason as the answer to whatever the client will ask.
    void add(std::unique_ptr<Connection> connection, const std::string& reason);
    // Drops what has arrived, and closes those that have left or had their time. Called some times a second.
    void look();

private:
    struct Refused {
        std::unique_ptr<Connection> connection;
        std::chrono::steady_clock::time_point until;
    };
    std::list<Refused> list_;  // oldest first, bounded
};

}  // namespace pelorus
