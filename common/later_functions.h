// Lists the functions of the family's language that this program does not have: errors say so, instead of calling the
// name misspelt. A name leaves the list with the commit that adds the function.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// Returns the area of such a function, as in "streaming"; empty for any other name.
std::string_view areaOfLaterFunction(std::string_view name);
// Returns the sentence for an error's hint; empty for any other name.
std::string laterFunctionNote(std::string_view name);

}  // namespace pelorus
