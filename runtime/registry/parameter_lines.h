// The explanations of parameters that the functions of a family share.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns FunctionDoc::parameters of the function with this syntax: of the lines of its family, each "name:
// description", those of the parameters that the syntax has, in its order. A line "function.name:
// description" is of one function alone, and goes before the family's line of that name. O(length of the lines).
std::string parameterLines(std::string_view syntax, std::string_view lines);

}  // namespace pelorus
