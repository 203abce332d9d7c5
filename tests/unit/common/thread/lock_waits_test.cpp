#include "common/thread/lock_waits.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("a request is told to wait for a lock as long as one of its threads does") {
    const CancellationFlag one{false};
    const CancellationFlag other{false};
    CHECK(lockWaitOf(one).empty());
    {
        const LockWaitScope first(&one, "tuple");
        CHECK(lockWaitOf(one) == "tuple");
        CHECK(lockWaitOf(other).empty());
        {
            const LockWaitScope second(&one, "tuple");
            const LockWaitScope nobody(nullptr, "tuple");
        }
        CHECK(lockWaitOf(one) == "tuple");
    }
    CHECK(lockWaitOf(one).empty());
}
