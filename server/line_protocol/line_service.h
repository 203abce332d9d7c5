// LineService bundles the settings of the line protocol and the services of the process that it needs.
#pragma once

#include <memory>
#include <string>

namespace pelorus {

class LineKeys;
class Services;

// The settings of the line protocol, fixed at start.
struct LineOptions {
    std::string database = "dfs://ilp";  // ilpDatabase
    std::string user;  // ilpUser: the user of unauthenticated senders on this machine; empty: there is none
    int port = -1;     // ilpPort, 0 for any free one; -1: there is no port
    // ilpKeys: the keys of the senders to the port, which is then open to other machines. Null: it is open to this
    // machine only, and all lines are written by `user`.
    std::shared_ptr<const LineKeys> keys = nullptr;
    std::string host = "127.0.0.1";  // address that the port listens on when there are keys
    bool requireTls = false;         // required of senders on other machines
};

// One object of a server, which lives as long as the server. Immutable.
struct LineService {
    const Services& services;
    LineOptions options;
};

}  // namespace pelorus
