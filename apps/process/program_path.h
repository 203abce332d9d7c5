// Searches for programs in the folders of the environment variable PATH.
#pragma once

#include <string>

namespace pelorus {

// Returns whether a program of that name is in one of the folders.
bool isOnPath(const std::string& program);

}  // namespace pelorus
