// Min and max of many values in SIMD lanes.
//
// The result is the one of a loop from the first value to the last: of equal zeros the first, and with a NaN among the
// values the same result as that loop.
#pragma once

#include <cstdint>

namespace pelorus {

enum class Extreme : uint8_t { Least, Greatest };

// Returns the min or max of the values that are not NULL; NULL when all are. For the numbers of columns: int8_t to
// int64_t, float and double.
template <Extreme kExtreme, class T>
T extremeOf(const T* elements, int64_t count);

}  // namespace pelorus
