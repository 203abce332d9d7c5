// Advice for an error about a column that a table lacks, or about too few or too many columns.
#pragma once

#include <string>
#include <string_view>

#include "common/error.h"
#include "runtime/table/table.h"

namespace pelorus {

// Returns a sentence or two for an error's hint: columns with few typing errors, then all columns.
std::string adviceForColumn(std::string_view name, const TableSchema& columns);

// Makes the error for a column that is not there; `argument` as in UserError, -1 for none.
UserError unknownColumn(std::string_view name, const TableSchema& columns, int argument = -1);

// Returns "The columns are time SECOND, price DOUBLE; values go by position."
std::string typedColumnsNote(const TableSchema& columns);

}  // namespace pelorus
