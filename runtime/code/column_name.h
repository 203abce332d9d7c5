// The name of a result column without `as`.
#pragma once

#include <string>

#include "runtime/code/expression.h"

namespace pelorus {

// Returns the default name: avg(price) is avg_price, price * qty is price_mul.
std::string defaultColumnName(const Node& node);

// Splits schema.table or catalog.schema.table: `path` is all before the last dot. Returns false for other expressions.
bool catalogTable(const Node& node, std::string& path, std::string& table);

}  // namespace pelorus
