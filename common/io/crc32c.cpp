#include "common/io/crc32c.h"

#include <nmmintrin.h>

#include <cstring>

namespace pelorus {

// The instruction is in every x86-64-v2 machine.
uint32_t crc32c(std::string_view bytes, uint32_t seed) {
    const char* at = bytes.data();
    size_t sizeBytes = bytes.size();
    uint64_t crc = static_cast<uint32_t>(~seed);
    for (; sizeBytes >= 8; sizeBytes -= 8, at += 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        crc = _mm_crc32_u64(crc, word);
    }
    auto narrow = static_cast<uint32_t>(crc);
    for (; sizeBytes > 0; --sizeBytes, ++at) narrow = _mm_crc32_u8(narrow, static_cast<uint8_t>(*at));
    return ~narrow;
}

}  // namespace pelorus
