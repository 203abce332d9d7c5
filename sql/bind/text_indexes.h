// Text search in the conditions of a query: each call learns how the texts of its column are cut into words.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/table/table.h"

namespace pelorus {

// The condition with the text index of the column given to each matchAny, matchAll, … of it. Throws UserError for a
// search in a column of the table that has none.
NodeRef withTextIndexes(const NodeRef& condition, const PartitionedTable& table);

}  // namespace pelorus
