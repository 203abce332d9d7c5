// Decides whether a typed input is a complete statement.
#pragma once

#include <string_view>

namespace pelorus {

// Returns whether the input ends within a statement, so that another line must follow. A query without `from` is
// complete when an empty line follows it.
bool isUnfinished(std::string_view text);

}  // namespace pelorus
