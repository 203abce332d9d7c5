// Check for conditions that compare a column of times with a number that looks like a date: `date = 2018-01-02` is
// 2015, `date > 2018.01` a DOUBLE. They would silently match nothing, or everything.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/table/table.h"

namespace pelorus {

// Throws UserError, with the intended literal as its hint.
void refuseMistypedDates(const NodeRef& condition, const TableSchema& columns);

}  // namespace pelorus
