#include "apps/console/script_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/error.h"

namespace pelorus {

std::string readScriptFile(const std::string& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) {
        throw UserError(fmt::format("The script {} can't be read: it is a folder.", path), "Give the path of a file.");
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw UserError(fmt::format("The script {} can't be read: {}.", path, std::strerror(errno)),
                        "Check the path; it is taken from the current folder.");
    }
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace pelorus
