// Start options of the process, by name, for scripts that ask. A service of the process; filled before it runs.
#pragma once

#include <map>
#include <string>

namespace pelorus {

struct Configuration {
    std::map<std::string, std::string> values;
};

}  // namespace pelorus
