// Index lookup: rows of a keyed table found by the values that conditions require of its key, instead of by a scan:
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/context.h"
#include "sql/plan/row_source.h"

namespace pelorus {

// When the conditions leave few values for every column of the source's key, the source becomes these rows, in the
// order of the table. The conditions still have to be applied.
void lookUpKeys(RowSource& source, const NodeList& conditions, Context& context);

}  // namespace pelorus
