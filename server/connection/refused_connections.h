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

    // Keeps the connection until the client leaves, and writes the reason as the answer to its first request: in the
    // words of PostgreSQL's protocol to a client that speaks it, in those of the native one to others, and to who says
    // nothing for a moment.
    void add(std::unique_ptr<Connection> connection, const std::string& reason);
    // Tells the reason to those who have begun to speak, drops arrived bytes, and closes connections whose clients have
    // left or whose time is over. Called several times a second.
    void look();

private:
    struct Refused {
        std::unique_ptr<Connection> connection;
        std::chrono::steady_clock::time_point since;
        std::string reason;  // empty once it is told
    };
    // Tells the reason if it is known in what words, or time is over. Returns false when the client has left.
    static bool tell(Refused& refused);

    std::list<Refused> list_;  // oldest first, bounded
};

}  // namespace pelorus
