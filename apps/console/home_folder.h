// Finds the home folder of the user who runs the program.
#pragma once

#include <string>

namespace pelorus {

// Returns HOME, or else the home folder that the system has for the user; empty when there is none.
std::string homeFolder();

}  // namespace pelorus
