#include "storage/commit/stored_session_locks.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("advisory locks are given back as often as they were taken, or all at once") {
    LockTable table;
    StoredSessionLocks first(table, 1), second(table, 2);
    const AdvisoryLock lock{.number = 7}, tries{.number = 7, .waits = false}, shared{.number = 7, .isShared = true};
    CHECK(first.lock(lock, {}));
    CHECK(first.lock(lock, {}));
    CHECK_FALSE(second.lock(tries, {}));
    CHECK_THROWS_AS(second.lock(lock, {.lockTimeout = std::chrono::milliseconds(10)}), UserError);
    CHECK(first.unlock(lock));
    CHECK_FALSE(second.lock(tries, {}));
    CHECK_FALSE(first.unlock(shared));
    CHECK(first.unlock(lock));
    CHECK_FALSE(first.unlock(lock));
    CHECK(second.lock(tries, {}));
    second.unlockAll();
    CHECK(first.lock({.number = 7, .isShared = true, .waits = false}, {}));
    CHECK(second.lock({.number = 7, .isShared = true, .waits = false}, {}));
    CHECK(second.lock({.space = 1, .number = 7, .waits = false}, {}));
}
