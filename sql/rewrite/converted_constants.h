// Constants that a query compares with a column of another type, and means as values of it: 'R', which is a CHAR and in
// standard SQL a text, beside texts; "2000-01-27" beside dates and times.
#pragma once

#include "runtime/code/query.h"
#include "runtime/table/table.h"

namespace pelorus {

// Replaces constants that are compared with a column, alone, in a list or as bounds: CHAR beside STRING or SYMBOL by
// texts, texts beside a column of dates or times by values of its type, where they can be read as such.
NodeRef withConvertedConstants(const NodeRef& expression, const TableSchema& columns);
// Does the same in all expressions of a query. Copies nothing of a query without such constants.
Ref<Query> withConvertedConstants(const Ref<Query>& query, const TableSchema& columns);

}  // namespace pelorus
