// 'R' is a CHAR, and in standard SQL a text: beside a column of texts a query means the text.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/table/table.h"

namespace pelorus {

// Replaces constants of CHAR that are compared with a column of STRING or SYMBOL, alone or in a list, by texts.
NodeRef withOneLetterTexts(const NodeRef& expression, const TableSchema& columns);

}  // namespace pelorus
