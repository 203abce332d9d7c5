// The check constraints of row tables: bound once, evaluated over the rows of each statement.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {
class FunctionRegistry;
}

namespace pelorus::postgres {

// Binds a check over columns of a table; `declared` are their saved types. Throws SqlError where it is no condition of
// these columns.
void requireCheck(std::string_view expression, const TableSchema& columns, std::span<const std::string> declared,
                  Context& context);

// Registers pgFailedRows, by which the storage finds the rows that a check refuses.
void registerCheckFunctions(FunctionRegistry& registry);

}  // namespace pelorus::postgres
