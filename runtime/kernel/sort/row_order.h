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

// Returns the positions of the rows in order. All columns have `rows` elements. O(n log n) comparisons of machine
// words: keys are turned into integers that order alike (SYMBOL by the rank of its string). Rows that are in order
// already cost O(n).
std::vector<int32_t> sortPositions(std::span<const OrderKey> keys, int64_t rows);

// Returns the first `count` of them. When those are few, one pass keeps the rows with the smallest first key of each
// chunk, and the c remaining candidates are sorted: O(n + c log c).
std::vector<int32_t> firstPositions(std::span<const OrderKey> keys, int64_t rows, int64_t count);

// Writes the ordering words of elements [begin, begin + count), ascending with them and 0 for NULL. Returns false,
// having done nothing, for elements whose words need the ranks among all of them: strings, SYMBOL too, and 16-byte
// values.
bool orderingWords(const Vector& elements, int64_t begin, int64_t count, uint64_t* words);
// Writes the words in the direction of the key, with its place of NULLs.
bool orderingWords(const OrderKey& key, int64_t begin, int64_t count, uint64_t* words);

}  // namespace pelorus
