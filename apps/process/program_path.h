// Search for programs in the folders of the environment variable PATH.
#pragma once

#include <string>

namespace pelorus {

// Returns whether a program of that name can be started without its folder.
bool isOnPath(const std::string& program);

}  // namespace pelorus
