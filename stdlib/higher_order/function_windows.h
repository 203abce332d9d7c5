// The ranges of rows that each call of a function over windows sees.
#pragma once

#include <vector>

#include "runtime/value/value.h"
#include "stdlib/window/time_axis.h"

namespace pelorus {

// A range of rows [begin, end); empty when begin >= end.
struct RowRange {
    int64_t begin = 0;
    int64_t end = 0;
};
using RowRanges = std::vector<RowRange>;

// Rows i-length+1 … i; empty for the first rows, which see fewer than `minRows` rows.
RowRanges movingRanges(int64_t rows, int64_t length, int64_t minRows);
// Rows i+from … i+to, clipped.
RowRanges offsetRanges(int64_t rows, int64_t from, int64_t to);
// Rows up to i with times in (T[i] - length, T[i]].
RowRanges trailingRanges(const TimeAxis& times, const Value& length, int argument);

// How equal times at the borders, and the time before the left border, are treated.
enum class Prevailing : uint8_t {
    No,      // every row with its time in [T[i]+from, T[i]+to]
    Yes,     // as No, but of the rows at or before the left border only the last
    Current  // a border of 0 is row i itself, not the rows of the same time
};
RowRanges aroundRanges(const TimeAxis& times, const Value& from, const Value& to, Prevailing prevailing, int argument);

}  // namespace pelorus
