// RefusedConnections keeps the connections for which the server has no place: each client gets the reason and two
// seconds to read it.
//
// The accepting thread owns it, and never waits for a client.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <string>

namespace pelorus {

class Connection;

// A bounded list of connections that are being closed. When it is full, the oldest one is closed at once.
class RefusedConnections {
public:
    RefusedConnections();
    ~RefusedConnections();

    // Writes the reason as the answer to the client's first request, and keeps the connection until the client leaves.
    void add(std::unique_ptr<Connection> connection, const std::string& reason);
    // Drops arrived bytes, and closes connections whose clients have left or whose time is over. Called several times a
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
