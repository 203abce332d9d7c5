// 'R' is a CHAR, and in standard SQL a text: beside a column of texts a query means the text.
#pragma once

#include "runtime/code/query.h"
#include "runtime/table/table.h"

namespace pelorus {

// Replaces constants of CHAR that are compared with a column of STRING or SYMBOL, alone or in a list, by texts.
NodeRef withOneLetterTexts(const NodeRef& expression, const TableSchema& columns);
// Does the same in all expressions of a query. Copies nothing of a query without such constants.
Ref<Query> withOneLetterTexts(const Ref<Query>& query, const TableSchema& columns);

}  // namespace pelorus
