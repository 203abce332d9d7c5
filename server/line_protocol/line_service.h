// What the line protocol needs of the process, and its settings.
#pragma once

#include <string>

namespace pelorus {

class Services;

struct LineOptions {
    std::string database = "dfs://ilp";  // ilpDatabase
    std::string user;                    // ilpUser: who writes without saying who; empty: nobody may
    int port = -1;                       // ilpPort, 0 for any; -1: there is none
};

// Lives as long as the server.
struct LineService {
    const Services& services;
    LineOptions options;
};

}  // namespace pelorus
