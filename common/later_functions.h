// Lists the functions of the language that are not implemented yet: errors say so, instead of calling the name
// misspelt. A name leaves the list when the function is implemented.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns the area of a function that is not implemented, such as "streaming"; empty for any other name.
std::string_view areaOfLaterFunction(std::string_view name);
// Returns the sentence for an error's hint; empty for any other name.
std::string laterFunctionNote(std::string_view name);

}  // namespace pelorus
