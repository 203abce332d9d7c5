// Stable order of rows by machine words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pelorus {

// Brings `order`, which holds positions in `words`, into the order of ascending words; the sort is stable. Runs on all
// cores. O(n) when the words are in order already; O(n log r) when they form r ascending runs, a few, as sorted batches
// do; else slices are radix sorted from the lowest digit on, O(n) per digit, and merged.
void orderByWords(std::span<const uint64_t> words, std::vector<int32_t>& order);

}  // namespace pelorus
