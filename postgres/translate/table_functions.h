// Functions that give rows: generate_series, unnest, and any function of one value in from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "postgres/typing/convert.h"
#include "postgres/typing/typed.h"
#include "runtime/function/context.h"

namespace pelorus::postgres {

constexpr const char* kFunctionColumn = "value";
constexpr const char* kOrdinalColumn = "ordinality";
constexpr int64_t kMaxFunctionRows = 100'000'000;

// A call with its arguments converted, and how its column comes from their values.
struct TableFunctionPlan {
    std::vector<Typed> arguments;
    Oid type = oid::kInt4;
    Type kept = Type::Int;
    int scale = 0;
    std::function<Value(std::span<const Value> arguments, Context& context)> compute;  // a vector
};

bool isTableFunction(const std::string& name);
// Throws SqlError 42883.
TableFunctionPlan planTableFunction(const std::string& name, std::vector<Typed> arguments, int place,
                                    const ConversionHost& host);

// Returns the table of the function's column for the values of a table of one row.
Value tableOfFunction(const std::function<Value(std::span<const Value>, Context&)>& compute, const Value& oneRow,
                      bool isOrdinal, Context& context);

}  // namespace pelorus::postgres
