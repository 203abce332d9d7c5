#include "storage/log/later_sync.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>

#include "common/error.h"
#include "storage/commit/stored_transaction.h"
#include "storage/log/wal_writer.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

// Commits a row, and waits for the disk or not.
void commitRow(RowTableFixture& fixture, int64_t id, bool isSynchronous) {
    const std::unique_ptr<Transaction> transaction = fixture.storage->beginTransaction({});
    transaction->beginStatement({.isSynchronous = isSynchronous});
    fixture.table()->insertRows(*accounts({id}, {"x"}, {1}), *transaction);
    transaction->commit();
}

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "a commit that does not wait ends before its sync, and others see it") {
    commitRow(*this, 1, true);
    files.holdSyncs(true, "/data/wal");
    commitRow(*this, 2, false);
    commitRow(*this, 3, false);
    CHECK(accountRows(*table()).size() == 3);
    CHECK(storage->log().syncedNumber() < storage->versions().visible());
    files.holdSyncs(false);
    // It is synced by itself.
    while (storage->log().syncedNumber() < storage->versions().visible()) std::this_thread::yield();
    files.losePower(1);
    open();
    CHECK(accountRows(*table()).size() == 3);
}

TEST_CASE("a power loss takes the last of the commits that do not wait, and none before one that does") {
    int lost = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        RowTableFixture fixture;
        const auto count = static_cast<int64_t>(seed % 7 + 2), waits = static_cast<int64_t>(seed % 3);
        for (int64_t id = 1; id <= count; ++id) commitRow(fixture, id, id == waits);
        fixture.files.losePower(seed);
        fixture.open();
        const AccountRows rows = accountRows(*fixture.table());
        const auto there = static_cast<int64_t>(rows.size());
        CAPTURE(seed, count, there);
        CHECK(there >= waits);
        for (int64_t id = 1; id <= there; ++id) CHECK(rows.count(id) == 1);
        CHECK(fixture.table()->check().empty());
        lost += there < count ? 1 : 0;
        commitRow(fixture, 100, true);
    }
    CHECK(lost > 0);
}

TEST_CASE_METHOD(RowTableFixture, "what did not wait stays when its sync fails and the log begins anew") {
    commitRow(*this, 1, true);
    files.failSyncs(true);
    commitRow(*this, 2, false);
    while (storage->log().isSound()) std::this_thread::yield();
    CHECK(accountRows(*table()).size() == 2);
    CHECK_THROWS_AS(commitRow(*this, 3, false), SystemError);
    files.failSyncs(false);
    storage->maintenance().renewLog();
    files.losePower(3);
    open();
    CHECK(accountRows(*table()).size() == 2);
    CHECK(accountRows(*table()).count(2) == 1);
    commitRow(*this, 4, true);
    files.losePower(4);
    open();
    CHECK(accountRows(*table()).size() == 3);
    CHECK(table()->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "images hold no commit that the log could lose") {
    for (int64_t id = 1; id <= 20; ++id) {
        commitRow(*this, id, false);
        if (id % 5 == 0) storage->maintenance().checkpoint();
    }
    files.losePower(7);
    open();
    const size_t there = accountRows(*table()).size();
    CHECK(there == 20);
    CHECK(table()->check().empty());
}
