// The least and the greatest of many items, side by side in the registers of the processor.
//
// What a walk from the first item to the last would choose: of equal zeros the first, and with a NaN among the items
// whatever that makes of the walk.
#pragma once

#include <cstdint>

namespace pelorus {

enum class Extreme : uint8_t { Least, Greatest };

// Of the items that are no NULL; NULL when all are. For the numbers of columns: int8_t to int64_t, float and double.
template <Extreme kExtreme, class T>
T extremeOf(const T* items, int64_t count);

}  // namespace pelorus
