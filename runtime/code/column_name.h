// The name of a result column without `as`.
#pragma once

#include <string>

#include "runtime/code/expression.h"

namespace pelorus {

// avg(price) is avg_price, price * qty is price_mul: SQL-05.
std::string defaultColumnName(const Node& node);

}  // namespace pelorus
