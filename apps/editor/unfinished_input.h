// Whether what somebody typed is a whole statement.
#pragma once

#include <string_view>

namespace pelorus {

// Returns whether the input stops in the middle of something, so that another line must follow. A query whose columns
// wait for their `from` is whole when an empty line follows it.
bool isUnfinished(std::string_view text);

}  // namespace pelorus
