// Reads scripts from files.
#pragma once

#include <string>

namespace pelorus {

// Returns the contents of a script file. Throws UserError, naming the path and the reason, when it cannot be read.
std::string readScriptFile(const std::string& path);

}  // namespace pelorus
