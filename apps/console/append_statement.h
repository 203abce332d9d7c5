// Statements whose value nobody wants to see.
#pragma once

#include "runtime/code/statement.h"

namespace pelorus {

// Whether these are one call of append! or upsert!: its value is the whole table, of which a person only wants to know
// how many rows came.
bool isAppendStatement(const NodeList& statements);

}  // namespace pelorus
