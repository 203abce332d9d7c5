// Stable order of rows by machine words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pelorus {

// Brings `order`, which holds positions in `words`, into the order of ascending words; rows with equal words keep
// theirs. A radix sort from the least significant byte on that leaves out bytes in which all words agree: O(n) per
// byte.
void radixOrder(std::span<const uint64_t> words, std::vector<int32_t>& order);

}  // namespace pelorus
