// Order of strings by machine words.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// Returns the positions of STRING or BLOB elements in the order of their bytes, equal ones by position. Strings are
// compared 8 bytes at a time: rows are radix sorted by the first 8 bytes behind what all have in common, rows that are
// still equal by the next ones. Runs on all cores. O(n) for each 8 bytes that decide, and O(m log m) for the m rows of
// small ties.
std::vector<int32_t> stringOrder(const Vector& strings);

// Returns a word for each STRING or BLOB element: words ascend with the strings' bytes, equal strings have equal words,
// and the empty string, which is NULL, has 0. Short strings, without what all of them begin with, are their own words:
// O(n). Few distinct strings get their ranks by a table of these; others by stringOrder.
std::vector<uint64_t> stringWords(const Vector& strings);

}  // namespace pelorus
