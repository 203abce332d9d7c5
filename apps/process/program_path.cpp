#include "apps/process/program_path.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace pelorus {

bool isOnPath(const std::string& program) {
    const char* path = std::getenv("PATH");
    std::string_view folders = path ? path : "/usr/bin:/bin";
    while (!folders.empty()) {
        const size_t end = std::min(folders.find(':'), folders.size());
        const std::string file = std::string(folders.substr(0, end)) + "/" + program;
        if (::access(file.c_str(), X_OK) == 0) return true;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return false;
}

}  // namespace pelorus
