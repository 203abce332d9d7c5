// Stable order of rows by machine words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pelorus {

// Brings `order`, which holds positions in `words`, into the order of ascending words; rows with equal words keep
// theirs. On all cores. O(n) when the words lie in order already; O(n log r) when they lie in a few ascending runs,
// as batches do that were sorted when they came; else a radix sort from the least significant digit on, O(n) per
// digit, of slices that are merged.
void orderByWords(std::span<const uint64_t> words, std::vector<int32_t>& order);

}  // namespace pelorus
