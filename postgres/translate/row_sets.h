// Functions in a select list that return several rows for each: unnest, generate_subscripts, generate_series.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"
#include "runtime/function/context.h"
#include "runtime/value/value.h"

namespace pelorus::postgres {

// A call whose values are kept as an array until its rows are made.
struct RowSet {
    Typed array;
    Oid element = oid::kText;
};

bool returnsRows(const std::string& function);
// Throws SqlError 42883 for arguments that the function does not take.
RowSet planRowSet(const std::string& function, std::vector<Typed> arguments, int place, const ConversionHost& host);

// A column that becomes one element a row.
struct SetColumn {
    std::string name;
    Oid element = oid::kText;
};

// Returns as many rows for each as the longest of its arrays has elements, NULL where another one is shorter; none
// where all are empty or NULL. Throws SqlError 54000 beyond kMaxFunctionRows rows.
Value expandedRows(const Value& rows, const std::vector<SetColumn>& sets, Context& context);

}  // namespace pelorus::postgres
