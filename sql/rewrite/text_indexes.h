// Text search in the conditions of a query: each call gets the tokenizer of its column's text index.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/table/table.h"

namespace pelorus {

// Passes the text index of the column to each matchAny, matchAll, … of the condition. Throws UserError for a search in
// a column of the table that has none.
NodeRef withTextIndexes(const NodeRef& condition, const PartitionedTable& table);

}  // namespace pelorus
