// Stable ordering of rows by one or several columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/value/value.h"

namespace pelorus {

struct OrderKey {
    Value column;  // a vector, or a tuple of scalars
    bool ascending = true;
    // NULLs come first ascending and last descending, unless `nullsGiven`.
    bool nullsGiven = false;
    bool nullsFirst = true;
};

// The positions of the rows in order. All columns have `rows` items. O(n log n) comparisons of machine words: keys are
// turned into integers that order alike (SYMBOL by the rank of its text). Rows that are in order already cost O(n).
std::vector<int32_t> sortPositions(std::span<const OrderKey> keys, int64_t rows);

// The first `count` of them. Where those are few, one pass that keeps the least rows of each piece by the first key,
// and a sort of what is left: O(n + c log c) for c rows.
std::vector<int32_t> firstPositions(std::span<const OrderKey> keys, int64_t rows, int64_t count);

// The words of items [begin, begin + count), ascending with them and 0 for NULL. False, and nothing done, for items
// that have words by their ranks among all only: texts, SYMBOL too, and what takes 16 bytes.
bool orderingWords(const Vector& items, int64_t begin, int64_t count, uint64_t* words);
// The same in the direction of the key, NULLs where it wants them.
bool orderingWords(const OrderKey& key, int64_t begin, int64_t count, uint64_t* words);

}  // namespace pelorus
