// What the line protocol needs of the process, and its settings.
#pragma once

#include <memory>
#include <string>

namespace pelorus {

class LineKeys;
class Services;

struct LineOptions {
    std::string database = "dfs://ilp";  // ilpDatabase
    std::string user;                    // ilpUser: who writes without saying who; empty: nobody may
    int port = -1;                       // ilpPort, 0 for any; -1: there is none
    // Of those who send lines to the port (ilpKeys), which is then open to other machines; null: it is not, and all who
    // send are `user`.
    std::shared_ptr<const LineKeys> keys = nullptr;
    std::string host = "127.0.0.1";  // that the port is on when there are keys
    bool requireTls = false;         // of other machines
};

// Lives as long as the server.
struct LineService {
    const Services& services;
    LineOptions options;
};

}  // namespace pelorus
