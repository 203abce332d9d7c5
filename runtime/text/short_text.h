// Fields of a few bytes as machine words: compared and parsed as numbers without a loop.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace pelorus::text {

// Returns the field of 1 to 8 bytes that ends at `end`: its last byte highest, zeros before the first. Reads the eight
// bytes before `end`, whatever the field's size.
inline uint64_t wordBefore(const char* end, size_t size) {
    uint64_t word;
    std::memcpy(&word, end - 8, 8);
    const auto unused = static_cast<int>(64 - 8 * size);
    return word >> unused << unused;
}

// A text of at most sixteen bytes, for comparison.
struct ShortString {
    static constexpr size_t kMax = 16;
    uint64_t first = 0, last = 0;
    size_t size = SIZE_MAX;

    static ShortString of(const char* begin, size_t size) {
        ShortString text;
        text.size = size;
        if (size >= 8) {
            std::memcpy(&text.first, begin, 8);
            std::memcpy(&text.last, begin + size - 8, 8);
        } else if (size > 0) {
            text.first = wordBefore(begin + size, size);
        }
        return text;
    }
    bool operator==(const ShortString&) const = default;
    size_t hash() const { return ((first ^ std::rotl(last, 29)) * 0x9E3779B97F4A7C15ULL + size) >> 40; }
};

// Converts letters of digits to digits; a letter that is none becomes more than 9.
inline uint64_t digitsOf(const char* end, size_t size) {
    uint64_t word;
    std::memcpy(&word, end - 8, 8);
    const auto unused = static_cast<int>(64 - 8 * size);
    return (word ^ 0x3030303030303030ULL) >> unused << unused;
}

inline bool allDigits(uint64_t digits) {
    constexpr uint64_t kHigh = 0xF0F0F0F0F0F0F0F0ULL;
    return ((digits & kHigh) | ((digits + 0x0606060606060606ULL) & kHigh)) == 0;
}

// Converts eight digits, the first of which is the lowest byte, to their number: pairs, then fours, then all.
inline uint32_t numberOf(uint64_t digits) {
    digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFULL;
    digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFFULL;
    return static_cast<uint32_t>(digits * 10000 + (digits >> 32));
}

// The three readers below take fields of 1 to 8 bytes and return false for those that need the general parser. All read
// the eight bytes before `end`.

inline bool readShortInteger(const char* end, size_t size, int32_t& number) {
    const bool negative = *(end - size) == '-';
    size -= negative;
    if (size == 0) return false;
    const uint64_t digits = digitsOf(end, size);
    if (!allDigits(digits)) return false;
    const auto value = static_cast<int32_t>(numberOf(digits));
    number = negative ? -value : value;
    return true;
}

// Parses digits with a point somewhere: both the digits and the power of ten are exact, so one division rounds
// correctly (Clinger, How to read floating point numbers accurately, 1990).
inline bool readShortDecimal(const char* end, size_t size, double& number) {
    static constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
    const bool negative = *(end - size) == '-';
    size -= negative;
    if (size == 0) return false;
    uint64_t digits = digitsOf(end, size);
    const uint64_t points = digits ^ 0x1E1E1E1E1E1E1E1EULL;  // '.' XOR 0x1E in each byte
    const uint64_t zeros = (points - 0x0101010101010101ULL) & ~points & 0x8080808080808080ULL;
    int behind = 0;
    if (zeros != 0) {
        if (size == 1) return false;
        const int at = std::countr_zero(zeros) / 8;
        const uint64_t before = (uint64_t{1} << (8 * at)) - 1;
        digits = (digits & ~(before << 8 | 0xFF)) | ((digits & before) << 8);
        behind = 7 - at;
    }
    if (!allDigits(digits)) return false;
    const double value = numberOf(digits) / kPowers[behind];
    number = negative ? -value : value;
    return true;
}

// Parses HH:MM:SS to seconds.
inline bool readShortTime(const char* end, int32_t& seconds) {
    const uint64_t digits = digitsOf(end, 8);
    // ':' has become 0x0A. Tens and ones of each part are in bytes 0, 1 and 3, 4 and 6, 7.
    constexpr uint64_t kColons = 0x00000A00000A0000ULL;
    if ((digits & 0x0000FF0000FF0000ULL) != kColons || !allDigits(digits ^ kColons)) return false;
    const uint64_t pairs = digits * 10 + (digits >> 8);
    const auto hour = static_cast<int32_t>(pairs & 0xFF), minute = static_cast<int32_t>(pairs >> 24 & 0xFF),
               second = static_cast<int32_t>(pairs >> 48 & 0xFF);
    seconds = (hour * 60 + minute) * 60 + second;
    return hour < 24 && minute < 60 && second < 60;
}

}  // namespace pelorus::text
