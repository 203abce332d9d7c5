// Names of the join functions ej, lj, aj … of the language, and of the columns of what they give.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/code/query.h"

namespace pelorus {

// Whether a function of this name joins two tables, where it stands after `from`.
bool isJoinName(std::string_view function);
// Returns how it treats the rows of its sides, for pushdown before it; nothing for joins that read them whole.
// REQUIRES: isJoinName(function).
std::optional<JoinKind> narrowedJoin(std::string_view function);

// Returns the name of a column of the right table in the result of a join.
std::string joinedName(const std::string& column, const std::string& rightName, bool isTaken);

}  // namespace pelorus
