// union, intersect and except over the rows of two tables, and tables made of single cells.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus {
class MemoryTable;
}

namespace pelorus::postgres {

enum class SetOperation : uint8_t { Union, Intersect, Except };

// Returns the rows of the operation: those of `left` first, in their order. With `isAll` rows repeat as often as the
// standard says. NULLs are equal. REQUIRES: tables with columns of the same types.
Value setOperation(SetOperation operation, bool isAll, const Value& left, const Value& right, Context& context);

// Returns the rows of all tables, one behind the other. REQUIRES: at least one table, all with columns of the same
// types.
Value stackedRows(const std::vector<Value>& tables);

// Returns the row as bytes that are equal for equal rows of one table; NULLs are equal.
std::string rowKey(const MemoryTable& table, int64_t row);

// Returns a table of so many rows from a table of one row, whose cells stand column by column.
Value stackCells(const Value& oneRow, const std::vector<std::string>& names, size_t rows);

}  // namespace pelorus::postgres
