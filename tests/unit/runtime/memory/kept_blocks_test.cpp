// Freed blocks of memory that are kept for the next request of about their size.
#include "runtime/memory/kept_blocks.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace pelorus;
using namespace pelorus::memory;

namespace {

std::vector<size_t> givenBack;

void noteGivenBack(char* block, size_t bytes) {
    givenBack.push_back(bytes);
    std::free(block);
}

// Allocates a charged block, as one that is to be kept is.
char* block(size_t bytes) {
    charge(static_cast<int64_t>(bytes));
    return static_cast<char*>(std::malloc(bytes));
}

struct Bench {
    Bench() { givenBack.clear(); }

    int64_t before = usedBytes();
    KeptBlocks kept{10 << 20, noteGivenBack};
};

constexpr size_t kMegabyte = size_t{1} << 20;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)  // which keeps none, to notice who uses one that was freed

TEST_CASE("a kept block goes to who wants its size or an eighth less") {
    Bench bench;
    char* const block4 = block(4 * kMegabyte);
    REQUIRE(bench.kept.keep(block4, 4 * kMegabyte));
    CHECK(bench.kept.keptBytes() == 4 * static_cast<int64_t>(kMegabyte));
    size_t wanted = 3 * kMegabyte;
    CHECK(bench.kept.take(wanted) == nullptr);
    wanted = 5 * kMegabyte;
    CHECK(bench.kept.take(wanted) == nullptr);
    wanted = 4 * kMegabyte - 4096;
    CHECK(bench.kept.take(wanted) == block4);
    CHECK(wanted == 4 * kMegabyte);
    CHECK(bench.kept.keptBytes() == 0);
    CHECK(usedBytes() - bench.before >= static_cast<int64_t>(wanted));
    noteGivenBack(block4, wanted);
    discharge(static_cast<int64_t>(wanted));
}

TEST_CASE("a block that nobody takes between two looks is given back, one that is taken and kept again is not") {
    Bench bench;
    char* const used = block(4 * kMegabyte);
    REQUIRE(bench.kept.keep(block(2 * kMegabyte), 2 * kMegabyte));
    REQUIRE(bench.kept.keep(used, 4 * kMegabyte));
    bench.kept.clearUnused();
    CHECK(givenBack.empty());
    size_t wanted = 4 * kMegabyte;
    REQUIRE(bench.kept.take(wanted) == used);
    REQUIRE(bench.kept.keep(used, 4 * kMegabyte));
    bench.kept.clearUnused();
    CHECK(givenBack == std::vector<size_t>{2 * kMegabyte});
    bench.kept.clearUnused();
    CHECK(givenBack.size() == 2);
    CHECK(bench.kept.keptBytes() == 0);
}

TEST_CASE("the block that was kept longest gives way") {
    Bench bench;
    for (const size_t megabytes : {3, 4, 2})
        REQUIRE(bench.kept.keep(block(megabytes * kMegabyte), megabytes * kMegabyte));
    CHECK(givenBack.empty());
    REQUIRE(bench.kept.keep(block(5 * kMegabyte), 5 * kMegabyte));
    CHECK(givenBack == std::vector<size_t>{3 * kMegabyte, 4 * kMegabyte});
    CHECK(bench.kept.keptBytes() == 7 * static_cast<int64_t>(kMegabyte));
    size_t wanted = 2 * kMegabyte;
    char* const taken = bench.kept.take(wanted);
    REQUIRE(taken);
    REQUIRE(bench.kept.keep(taken, wanted));
    REQUIRE(bench.kept.keep(block(4 * kMegabyte), 4 * kMegabyte));
    CHECK(givenBack.back() == 5 * kMegabyte);
    bench.kept.clear();
    CHECK(bench.kept.keptBytes() == 0);
    CHECK(usedBytes() - bench.before < static_cast<int64_t>(kMegabyte));
}

TEST_CASE("a block larger than all that may be kept is refused, and stays whose it was") {
    Bench bench;
    char* const large = block(11 * kMegabyte);
    CHECK_FALSE(bench.kept.keep(large, 11 * kMegabyte));
    CHECK(givenBack.empty());
    noteGivenBack(large, 11 * kMegabyte);
    discharge(11 * static_cast<int64_t>(kMegabyte));
}

TEST_CASE("large objects of new are kept, counted once, and taken by the next of their size") {
    constexpr size_t kBytes = 48 * kMegabyte;
    keptLargeBlocks().clear();
    passNotes();
    const int64_t before = usedBytes();
    const auto held = [&] { return usedBytes() - before; };
    auto first = std::make_unique_for_overwrite<char[]>(kBytes);
    const char* const place = first.get();
    passNotes();
    // Threads of earlier tests may report late how much they freed: a little.
    CHECK(held() > static_cast<int64_t>(kBytes - kMegabyte));
    CHECK(held() < static_cast<int64_t>(kBytes + 4 * kMegabyte));
    const int64_t inUse = held();
    first.reset();
    passNotes();
    CHECK(keptLargeBlocks().keptBytes() >= static_cast<int64_t>(kBytes));
    CHECK(std::abs(held() - inUse) < static_cast<int64_t>(kMegabyte));
    const auto second = std::make_unique_for_overwrite<char[]>(kBytes - kMegabyte);
    CHECK(second.get() == place);
    CHECK(keptLargeBlocks().keptBytes() == 0);
    passNotes();
    CHECK(std::abs(held() - inUse) < static_cast<int64_t>(kMegabyte));
}

#endif
