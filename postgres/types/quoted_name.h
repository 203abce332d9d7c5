// Names as statements write them.
#pragma once

#include <string>
#include <string_view>

namespace pelorus::postgres {

// Returns a name in quotes, unless it is one of small letters that is no word of the grammar.
std::string quotedName(std::string_view name);

}  // namespace pelorus::postgres
