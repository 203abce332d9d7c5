#include "storage/codec/bit_packing.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <string>

using namespace pelorus;

TEST_CASE("bits are packed and unpacked alike for every width and count") {
    std::mt19937_64 random(1);
    for (int width = 0; width <= 32; ++width) {
        uint32_t numbers[codec::kGroup], words[codec::kGroup] = {}, back[codec::kGroup];
        for (uint32_t& x : numbers) x = static_cast<uint32_t>(random() & ((uint64_t{1} << width) - 1));
        codec::pack(numbers, width, words);
        for (const int count : {1, 32, 33, 1000, 1024}) {
            // Exactly the bytes that are promised to be enough, and at an odd address.
            std::string bytes("x");
            bytes.append(reinterpret_cast<const char*>(words),
                         static_cast<size_t>(codec::packedWords(count, width)) * 4);
            codec::unpack(bytes.data() + 1, width, back, count);
            REQUIRE(std::memcmp(numbers, back, static_cast<size_t>(count) * 4) == 0);
        }
    }
}

TEST_CASE("a short group takes the words that its rows need, and bits above the width are dropped") {
    CHECK(codec::packedWords(codec::kGroup, 7) == 7 * codec::kLanes);
    CHECK(codec::packedWords(codec::kGroup, 0) == 0);
    CHECK(codec::packedWords(1, 1) == codec::kLanes);
    CHECK(codec::packedWords(33, 32) == 2 * codec::kLanes);
    uint32_t numbers[codec::kGroup], words[codec::kGroup] = {}, back[codec::kGroup];
    for (uint32_t& x : numbers) x = 0xFFFFFFF5;
    codec::pack(numbers, 4, words);
    codec::unpack(reinterpret_cast<const char*>(words), 4, back, codec::kGroup);
    for (const uint32_t x : back) REQUIRE(x == 5);
}
