#include "runtime/text/field_ends.h"

#include <emmintrin.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/widest.h"

namespace pelorus::text {

namespace {

constexpr size_t kBlock = 64;

// Returns one bit for each byte that equals the letter.
uint64_t equalBytes(const char* block, char letter) {
    const __m128i wanted = _mm_set1_epi8(letter);
    uint64_t bits = 0;
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * part));
        const auto hits = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
        bits |= uint64_t{hits} << (16 * part);
    }
    return bits;
}

}  // namespace

void findFieldEnds(std::string_view text, char delimiter, FieldEnds& found) {
    found.ends.resize(kFieldBlockBytes + 1);
    found.lines.resize(kFieldBlockBytes + 1);
    uint32_t* ends = found.ends.data();
    uint32_t* lines = found.lines.data();
    *ends++ = UINT32_MAX;  // one more is 0
    *lines++ = 0;
    const size_t size = std::min(text.size(), kFieldBlockBytes);
    for (size_t at = 0; at < size; at += kBlock) {
        const char* block = text.data() + at;
        char padded[kBlock];
        if (size - at < kBlock) {
            std::memset(padded, 0, kBlock);
            std::memcpy(padded, block, size - at);
            block = padded;
        }
        const uint64_t feeds = equalBytes(block, '\n'), quotes = equalBytes(block, '"');
        uint64_t separators = equalBytes(block, delimiter) | feeds;
        if (quotes != 0) separators &= (quotes & -quotes) - 1;
        for (; separators != 0; separators &= separators - 1) {
            const int bit = std::countr_zero(separators);
            *lines = static_cast<uint32_t>(ends - found.ends.data());
            lines += (feeds >> bit) & 1;
            *ends++ = static_cast<uint32_t>(at) + static_cast<uint32_t>(bit);
        }
        if (quotes != 0) break;
    }
    found.count = static_cast<int>(ends - found.ends.data());
    found.lineCount = static_cast<int>(lines - found.lines.data()) - 1;
}

int64_t countLineFeeds(std::string_view text) {
    // The counts have one byte each, which the processor adds sixty-four at a time.
    constexpr size_t kStep = 128;
    const char* bytes = text.data();
    const size_t size = text.size();
    return onWidest([=]() __attribute__((always_inline)) {
        int64_t count = 0;
        size_t at = 0;
        for (; at + kStep <= size; at += kStep) {
            uint8_t found = 0;
            for (size_t i = 0; i < kStep; ++i) found = static_cast<uint8_t>(found + (bytes[at + i] == '\n'));
            count += found;
        }
        for (; at < size; ++at) count += bytes[at] == '\n';
        return count;
    });
}

}  // namespace pelorus::text
