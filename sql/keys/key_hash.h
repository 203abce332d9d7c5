// Hashes of the keys of rows, by which rows are cut into hash partitions that share no key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/value/value.h"

namespace pelorus {

constexpr size_t kKeyParts = 64;

// Mixes the values of one key into the hashes of their rows; they begin as 0. Equal keys of one type yield equal
// hashes. A scalar counts for all rows.
void mixKey(const Value& key, int64_t rows, uint64_t* hashes);
// Returns the digests (runtime/value/text_digest.h) of a string vector as an INT128 vector, which is moved with the
// rows; nothing for another key. Mixed, they yield the same hashes as the strings.
Value digestsOf(const Value& key);
void mixDigests(const Value& digests, uint64_t* hashes);

// The hash partition on disk and the one in memory that a row belongs to. They depend on different bits of its hash:
// the rows of one on disk still spread over all of those in memory.
inline size_t spilledPartOf(uint64_t hash) {
    return hash >> 58;
}
inline size_t memoryPartOf(uint64_t hash) {
    return hash >> 52 & 63;
}

}  // namespace pelorus
