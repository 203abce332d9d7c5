// Share of the available memory that an operator may keep.
#include "runtime/memory/broker.h"

#include <catch2/catch.hpp>

#include "runtime/memory/budget.h"

using namespace pelorus;

namespace {

// Restores the limit of the process and removes the bound on grants when a test ends.
struct Restored {
    const int64_t limit = memory::limitBytes();
    ~Restored() {
        memory::setLimitBytes(limit);
        memory::setLargestGrantBytes(0);
    }
};

constexpr int64_t kMegabyte = int64_t{1} << 20;

}  // namespace

TEST_CASE("a grant without a limit holds anything, and with one as much as it leaves free") {
    const Restored restored;
    memory::shrinkCaches(INT64_MAX);  // what caches keep counts as available
    memory::setLimitBytes(0);
    memory::Grant grant;
    CHECK(grant.hold(1000 * kMegabyte));
    CHECK(memory::availableBytes() == INT64_MAX);
    // The memory that the grant claims is not allocated here, so that all of it stays available.
    memory::setLimitBytes(memory::usedBytes() + 100 * kMegabyte);
    CHECK(memory::availableBytes() >= 90 * kMegabyte);
    CHECK_FALSE(grant.hold(0));
    CHECK(grant.hold(-920 * kMegabyte));
    CHECK(grant.heldBytes() == 80 * kMegabyte);
    CHECK_FALSE(grant.hold(70 * kMegabyte));
}

TEST_CASE("a grant is never below the least, and never above the largest that is set") {
    const Restored restored;
    memory::setLargestGrantBytes(4 * kMegabyte);
    memory::Grant grant, other;
    CHECK(grant.hold(4 * kMegabyte));
    CHECK_FALSE(grant.hold(1));
    CHECK(other.hold(4 * kMegabyte));
    CHECK(grant.hold(-1));
    memory::setLargestGrantBytes(1);
    CHECK_FALSE(grant.hold(0));
    CHECK(grant.hold(memory::kLeastGrantBytes - grant.heldBytes()));
    memory::setLimitBytes(1);  // all is taken
    CHECK(grant.hold(0));
    CHECK_FALSE(grant.hold(1));
}
