// Configuration holds the start options of the process by name, for getConfig and related functions. A service of the
// process; it is filled before scripts run, and not changed afterwards.
#pragma once

#include <map>
#include <string>

namespace pelorus {

struct Configuration {
    std::map<std::string, std::string> values;
};

}  // namespace pelorus
