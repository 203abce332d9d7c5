// The assignments of `update … set` and `do update set`.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "postgres/change/target_table.h"

namespace pelorus::postgres {

// The value that a column is set to. DEFAULT is the expression of the column's default, NULL where it has none.
struct UpdateValue {
    const TargetColumn* column;
    nlohmann::json expression;
};

// Reads a target list. Throws SqlError: 42601 for a column that is set twice, 428C9 for an identity column that is set
// to anything but DEFAULT.
std::vector<UpdateValue> updateValues(const nlohmann::json& targetList, const TargetTable& target);

// Returns a value that a select computes before it is assigned: a literal and a parameter get the type of the column,
// as in any assignment.
nlohmann::json typedAs(const TargetColumn& column, nlohmann::json value);

}  // namespace pelorus::postgres
