// The folder of the user who runs the program.
#pragma once

#include <string>

namespace pelorus {

// HOME, or what the system has for the user. Empty where it knows none.
std::string homeFolder();

}  // namespace pelorus
