#include "common/io/md5.h"

#include <cmath>
#include <cstring>
#include <string>

namespace pelorus {

namespace {

constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// RFC 1321: word i is the integer part of 2^32 |sin(i + 1)|.
const std::array<uint32_t, 64>& sines() {
    static const std::array<uint32_t, 64> words = [] {
        std::array<uint32_t, 64> w{};
        for (size_t i = 0; i < 64; ++i) {
            w[i] = static_cast<uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
        }
        return w;
    }();
    return words;
}

uint32_t rotated(uint32_t x, int bits) {
    return x << bits | x >> (32 - bits);
}

void addBlock(std::array<uint32_t, 4>& state, const char* block) {
    uint32_t words[16];
    std::memcpy(words, block, sizeof words);
    auto [a, b, c, d] = state;
    for (uint32_t i = 0; i < 64; ++i) {
        uint32_t f, word;
        switch (i / 16) {
            case 0:
                f = (b & c) | (~b & d);
                word = i;
                break;
            case 1:
                f = (d & b) | (~d & c);
                word = (5 * i + 1) % 16;
                break;
            case 2:
                f = b ^ c ^ d;
                word = (3 * i + 5) % 16;
                break;
            default:
                f = c ^ (b | ~d);
                word = 7 * i % 16;
                break;
        }
        const uint32_t next = b + rotated(a + f + sines()[i] + words[word], kShifts[i / 16][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

}  // namespace

std::array<uint8_t, 16> md5(std::string_view bytes) {
    std::array<uint32_t, 4> state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    size_t at = 0;
    for (; at + 64 <= bytes.size(); at += 64) addBlock(state, bytes.data() + at);
    std::string last(bytes.substr(at));
    last += static_cast<char>(0x80);
    while (last.size() % 64 != 56) last += '\0';
    const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
    last.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    for (at = 0; at < last.size(); at += 64) addBlock(state, last.data() + at);
    std::array<uint8_t, 16> digest;
    std::memcpy(digest.data(), state.data(), digest.size());
    return digest;
}

}  // namespace pelorus
