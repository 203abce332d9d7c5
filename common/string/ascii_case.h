// Letters of ASCII in lower and upper case.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Converts the letters A to Z to lower case; every other byte is unchanged. Names of hosts, headers, types, functions
// and tables of queries are compared in this form.
std::string asciiLower(std::string_view string);
// Returns whether the strings differ in the case of such letters at most.
bool isEqualInAnyCase(std::string_view a, std::string_view b);

}  // namespace pelorus
