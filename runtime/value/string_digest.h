// A string in two words, by which it is looked up: strings of up to 15 bytes are stored in it whole, longer ones as a
// hash and the length. Equal strings have equal digests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace pelorus {

struct StringDigest {
    static constexpr size_t kLongestWhole = 15;

    // The bytes in their order, the length in the last one; or the hash, and the length below a byte of ones.
    uint64_t first = 0, second = 0;

    static StringDigest of(std::string_view string) {
        const size_t length = string.size();
        if (length > kLongestWhole) return ofLong(string);
        const char* p = string.data();
        uint64_t first = 0, second = uint64_t{length} << 56;
        if (length >= 8) {
            first = word<uint64_t>(p);
            if (length > 8) second |= word<uint64_t>(p + length - 8) >> (8 * (16 - length));
        } else if (length >= 4) {
            first = word<uint32_t>(p) | word<uint32_t>(p + length - 4) << (8 * (length - 4));
        } else if (length > 0) {
            first = word<uint8_t>(p) | word<uint8_t>(p + length / 2) << (8 * (length / 2)) |
                    word<uint8_t>(p + length - 1) << (8 * (length - 1));
        }
        return {first, second};
    }

    // Returns whether strings with this digest are equal.
    bool isWhole() const { return second >> 56 <= kLongestWhole; }
    bool operator==(const StringDigest&) const = default;

    uint64_t hash() const {
        // The product of two odd-looking words, folded: wyhash's mixing step.
        const auto product =
            static_cast<unsigned __int128>(first ^ 0xa0761d6478bd642full) * (second ^ 0xe7037ed1a0b428dbull);
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }

private:
    static StringDigest ofLong(std::string_view string);
    template <class W>
    static uint64_t word(const char* p) {
        W w;
        std::memcpy(&w, p, sizeof w);
        return w;
    }
};

}  // namespace pelorus
