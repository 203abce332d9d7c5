#include "storage/rows/read_slots.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <optional>
#include <thread>

using namespace pelorus;

TEST_CASE("the horizon stays at the oldest read, and at what is pinned elsewhere") {
    uint64_t visible = 5, pinned = 5;
    ReadSlots slots([&] { return visible; }, [&] { return pinned; });
    std::optional<ReadSlots::Read> read(slots);
    CHECK(read->number() == 5);
    visible = pinned = 9;
    CHECK(slots.advanceHorizon() == 5);
    read.reset();
    pinned = 7;
    CHECK(slots.advanceHorizon() == 7);
    pinned = 9;
    CHECK(slots.advanceHorizon() == 9);
    CHECK_FALSE(slots.keeps(8));
    CHECK(slots.keeps(9));
}

TEST_CASE("no reader reads below a horizon that was taken meanwhile") {
    std::atomic<uint64_t> visible{1}, freed{0};
    ReadSlots slots([&] { return visible.load(); }, [&] { return visible.load(); });
    std::atomic<bool> isDone{false}, isWrong{false};
    std::thread reader([&] {
        while (!isDone) {
            const ReadSlots::Read read(slots);
            for (int i = 0; i < 20; ++i) {
                if (freed.load() > read.number()) isWrong = true;
            }
        }
    });
    for (int i = 0; i < 20000; ++i) {
        ++visible;
        freed = slots.advanceHorizon();
    }
    isDone = true;
    reader.join();
    CHECK_FALSE(isWrong);
}
