// Packs groups of 1,024 unsigned numbers in as many bits as the largest needs.
//
// The group is 32 rows of 32 lanes: number i is row i / 32 of lane i % 32. Each lane is a stream of bits; word k of
// lane l is at words[k * 32 + l]. So all lanes are shifted and masked alike, and the compiler vectorizes the loops. A
// short group keeps only the words that its rows need.
#pragma once

#include <cstdint>

namespace pelorus::codec {

inline constexpr int kGroup = 1024;
inline constexpr int kLanes = 32;

// Returns the number of words for `count` numbers of `width` bits. REQUIRES: 0 <= width <= 32.
inline int packedWords(int count, int width) {
    const int rows = (count + kLanes - 1) / kLanes;
    return (rows * width + 31) / 32 * kLanes;
}

// Packs 1,024 numbers into 32 * width words; bits above the width are dropped.
void pack(const uint32_t* numbers, int width, uint32_t* words);
// Unpacks a group. `words` may be unaligned, and need not hold more than packedWords(count, width) words when only the
// first `count` numbers are wanted. Always writes 1,024 numbers; those after `count` are undefined.
void unpack(const char* words, int width, uint32_t* numbers, int count);

}  // namespace pelorus::codec
