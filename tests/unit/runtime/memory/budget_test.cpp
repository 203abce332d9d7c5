#include "runtime/memory/budget.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "common/thread/work_arena.h"

using namespace pelorus;

namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;

// A limit of so much beyond what is used, as long as it lives.
struct Limit {
    const int64_t before = memory::limitBytes();
    explicit Limit(int64_t more) { memory::setLimitBytes(memory::usedBytes() + more); }
    ~Limit() { memory::setLimitBytes(before); }
};

// Takes memory in pieces of a kilobyte, up to `most`; returns how much it took before it was refused.
int64_t takeSmallPieces(int64_t most) {
    std::vector<std::unique_ptr<std::array<char, 1000>>> pieces;
    pieces.reserve(static_cast<size_t>(most / 1000) + 1);
    try {
        for (int64_t taken = 0; taken < most; taken += 1000)
            pieces.push_back(std::make_unique<std::array<char, 1000>>());
    } catch (const memory::OutOfMemory&) {
    }
    return static_cast<int64_t>(pieces.size()) * 1000;
}

}  // namespace

TEST_CASE("small pieces of a request are refused beyond the limit, those of nobody's are not") {
    const Limit limit(32 * kMegabyte);
    const int64_t most = memory::limitBytes() / 16 + 96 * kMegabyte;
    {
        WorkArena arena(1);
        const WorkScope work(arena);
        const int64_t taken = takeSmallPieces(most);
        CHECK(taken < most);
        CHECK(taken > 8 * kMegabyte);
        // Work that must not be left half done gets the memory that it needs.
        const memory::Unrefused whole;
        CHECK(takeSmallPieces(most) >= most);
    }
    CHECK(takeSmallPieces(most) >= most);
    // A few more small ones, to undefine what is the reason.
    WorkArena arena(1);
    const WorkScope work(arena);
    CHECK(takeSmallPieces(100'000) >= 100'000);
}

TEST_CASE("small pieces are counted whichever thread frees them") {
    const int64_t before = memory::usedBytes();
    std::vector<std::unique_ptr<std::array<char, 1000>>> pieces;
    for (int i = 0; i < 20'000; ++i) pieces.push_back(std::make_unique<std::array<char, 1000>>());
    CHECK(memory::usedBytes() - before > 15 * kMegabyte);
    std::thread([&] { pieces.clear(); }).join();
    CHECK(memory::usedBytes() - before < 5 * kMegabyte);
}
