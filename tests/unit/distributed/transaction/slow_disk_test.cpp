#include "distributed/transaction/slow_disk.h"

#include <catch2/catch.hpp>

using namespace pelorus;
using std::chrono::milliseconds;

namespace {

const SlowDisk::Time kBegin{std::chrono::hours(1)};

}  // namespace

TEST_CASE("a disk is slow when its syncs take ten times as long as the others', and long enough to be felt") {
    CHECK(SlowDisk::isSlow(milliseconds(400), milliseconds(2)));
    CHECK_FALSE(SlowDisk::isSlow(milliseconds(400), milliseconds(60)));
    CHECK_FALSE(SlowDisk::isSlow(milliseconds(20), milliseconds(1)));
    CHECK_FALSE(SlowDisk::isSlow(milliseconds(400), milliseconds(0)));
}

TEST_CASE("a node leaves when its disk was slow for five seconds in which it worked, and not for one slow sync") {
    const auto leavesAfter = [](auto ownAt, auto endedAt) {
        SlowDisk disk;
        for (int i = 0; i < 100; ++i) {
            if (disk.look(kBegin + i * milliseconds(500), ownAt(i), static_cast<uint64_t>(endedAt(i)), milliseconds(2)))
                return i;
        }
        return -1;
    };
    const auto slow = [](int) { return milliseconds(400); };
    const auto each = [](int i) { return i + 1; };
    CHECK(leavesAfter(slow, each) == 10);
    CHECK(leavesAfter([](int) { return milliseconds(5); }, each) == -1);
    CHECK(leavesAfter([](int i) { return milliseconds(i % 8 == 7 ? 5 : 400); }, each) == -1);
    // One slow sync, and rest.
    CHECK(leavesAfter(slow, [](int) { return 1; }) == -1);
    // A sync that does not end.
    CHECK(leavesAfter([](int i) { return milliseconds(500) * i; }, [](int i) { return i < 3 ? i : 3; }) > 0);
}
