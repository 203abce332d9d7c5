#include "streaming/publication/encoded_blocks.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace pelorus;

namespace {

std::string rangeString(int64_t begin, int64_t end) {
    return std::to_string(begin) + "-" + std::to_string(end);
}

}  // namespace

TEST_CASE("rows are encoded once for all who send them, in blocks that end at multiples of the bound") {
    EncodedBlocks blocks(10);
    for (int reader = 0; reader < 3; ++reader) {
        int64_t at = 3;
        std::string all;
        while (at < 25) {
            const auto block = blocks.at(at, 25, rangeString);
            REQUIRE(block->begin == at);
            at = block->end;
            all += block->bytes + " ";
        }
        REQUIRE(all == "3-10 10-20 20-25 ");
    }
    REQUIRE(blocks.encoded() == 3);
}

TEST_CASE("a reader between blocks ends where the next block begins") {
    EncodedBlocks blocks(10);
    REQUIRE(blocks.at(5, 8, rangeString)->end == 8);
    REQUIRE(blocks.at(2, 9, rangeString)->end == 5);
    // Rows that came later are another block.
    REQUIRE(blocks.at(8, 9, rangeString)->end == 9);
}

TEST_CASE("a block that can't be encoded is tried anew") {
    EncodedBlocks blocks(10);
    REQUIRE_THROWS_AS(blocks.at(0, 4, [](int64_t, int64_t) -> std::string { throw std::runtime_error("no disk"); }),
                      std::runtime_error);
    REQUIRE(blocks.at(0, 6, rangeString)->bytes == "0-6");
}

TEST_CASE("old blocks are dropped and encoded anew for a slow reader") {
    EncodedBlocks blocks(1);
    for (int64_t row = 0; row < 2000; ++row) blocks.at(row, 2000, rangeString);
    REQUIRE(blocks.at(0, 2000, rangeString)->bytes == "0-1");
    REQUIRE(blocks.encoded() == 2001);
    blocks.at(1999, 2000, rangeString);
    REQUIRE(blocks.encoded() == 2001);
}

TEST_CASE("readers that come at once get the same block") {
    EncodedBlocks blocks(1000);
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    std::vector<const EncodedBlock*> got(8);
    for (size_t i = 0; i < got.size(); ++i) {
        threads.emplace_back([&, i] {
            got[i] = blocks
                         .at(0, 7,
                             [&](int64_t begin, int64_t end) {
                                 ++calls;
                                 return rangeString(begin, end);
                             })
                         .get();
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(calls == 1);
    for (const EncodedBlock* block : got) REQUIRE(block == got[0]);
}
