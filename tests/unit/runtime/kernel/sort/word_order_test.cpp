#include "runtime/kernel/sort/word_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace pelorus;

// Requires that positions in reversed order are sorted stably by their words.
static void requireStableOrder(const std::vector<uint64_t>& words) {
    std::vector<int32_t> order(words.size());
    std::iota(order.rbegin(), order.rend(), 0);
    std::vector<int32_t> expected = order;
    std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
        return words[static_cast<size_t>(a)] < words[static_cast<size_t>(b)];
    });
    orderByWords(words, order);
    REQUIRE(order == expected);
}

TEST_CASE("Words of any spread are ordered, and equal ones keep their places") {
    std::mt19937_64 random(7);
    for (const size_t size : {0, 1, 2, 64, 65, 3'000, 70'000, 200'000}) {
        for (const int bits : {1, 3, 20, 44, 48, 64}) {
            for (const int zeros : {0, 3, 13}) {
                std::vector<uint64_t> words(size);
                for (uint64_t& word : words) word = (random() >> (64 - bits) << zeros) + 1'000'000'007;
                requireStableOrder(words);
            }
        }
    }
}

TEST_CASE("Runs that ascend are merged whatever their number and overlap") {
    std::mt19937_64 random(8);
    for (const size_t runs : {1, 2, 3, 5, 16, 17, 40}) {
        for (const uint64_t spread : {uint64_t{50}, uint64_t{1} << 30, ~uint64_t{0}}) {
            std::vector<uint64_t> words;
            for (size_t run = 0; run < runs; ++run) {
                const size_t begin = words.size(), rows = random() % 40'000;
                for (size_t i = 0; i < rows; ++i) words.push_back(random() % spread);
                std::sort(words.begin() + static_cast<int64_t>(begin), words.end());
            }
            std::reverse(words.begin(), words.end());
            requireStableOrder(words);
        }
    }
}
