// Functions of the family that scripts call and that are not there yet: who meets one is told so, not that it is
// misspelt. A name leaves the list when the function comes.
#pragma once

#include <string>
#include <string_view>

namespace pelorus {

// "streaming", "users and rights" …; empty for any other name.
std::string_view areaOfLaterFunction(std::string_view name);
// The sentence for an error's hint; empty for any other name.
std::string laterFunctionNote(std::string_view name);

}  // namespace pelorus
