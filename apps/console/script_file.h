// Scripts in files.
#pragma once

#include <string>

namespace pelorus {

// Reads a script file. Throws UserError, naming the path and the reason, when it cannot be read.
std::string readScriptFile(const std::string& path);

}  // namespace pelorus
