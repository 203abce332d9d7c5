// The rows of two queries that union, intersect or except joins.
#pragma once

#include "runtime/code/query.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns the rows of `left` with those of `right`, in the order of the left side and then of the right one, under the
// names and types of the left side. Rows are equal where all their values are, NULL being equal to NULL; which rows
// stay is said at SetOperator. A column of NULL has no type and takes that of the other side. Throws UserError where
// the numbers of columns differ, or types that cannot be converted. O(rows).
Ref<MemoryTable> combinedRows(SetOperator op, bool all, const Ref<MemoryTable>& left, const MemoryTable& right);

}  // namespace pelorus
