// Recognizes statements whose value is not shown.
#pragma once

#include "runtime/code/statement.h"

namespace pelorus {

// Returns whether the statements are one call of append! or upsert!, whose value is the whole table: the console shows
// the number of changed rows instead.
bool isAppendStatement(const NodeList& statements);

}  // namespace pelorus
