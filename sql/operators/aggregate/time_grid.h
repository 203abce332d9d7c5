// Windows of equal steps over times or numbers, for interval and roll.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

// Converts a number or DURATION to units of the type's stored integer. Throws UserError, naming the parameter, when it
// is not positive or the type is coarser.
int64_t unitsOf(const Value& span, Type type, std::string_view parameter);

// Returns the origin from which windows are counted: epoch, start, start_day (that of the first value), end, end_day.
int64_t gridOrigin(std::string_view origin, Type type, int64_t first, int64_t last);

// Converts times and integers to stored integers; others are refused.
std::vector<int64_t> gridNumbers(const Value& column, std::string_view function);
// Converts back to the type.
Value gridColumn(const std::vector<int64_t>& numbers, Type type);

}  // namespace pelorus
