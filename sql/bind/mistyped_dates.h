// Conditions that compare a column of times with what looks like a date and is a number: `date = 2018-01-02` is 2015,
// `date > 2018.01` a DOUBLE. Nothing would match, or everything, without a word.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/table/table.h"

namespace pelorus {

// Throws UserError, with the literal that was meant as its hint.
void refuseMistypedDates(const NodeRef& condition, const TableSchema& columns);

}  // namespace pelorus
