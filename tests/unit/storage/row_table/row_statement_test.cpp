#include "storage/row_table/row_statement.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture,
                 "a statement that is left within a transaction takes back its changes and its locks") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    const auto stored = storage->rows().find(rows->entry().id);
    const auto transaction = storage->beginTransaction({});
    transaction->beginStatement({});
    rows->insertRows(*accounts({2}, {"b"}, {2}), *transaction);
    {
        RowStatement statement(*storage, transaction.get(), stored, LockMode::RowExclusive);
        const uint64_t row = statement.part().rows(statement.view()).front();
        CHECK(statement.erase(row).outcome == RowOutcome::Done);
        CHECK(statement.part().rows(statement.view()).size() == 1);
    }
    {
        RowStatement other(*storage, nullptr, stored, LockMode::RowExclusive);
        const uint64_t row = other.part().rows(other.view()).front();
        CHECK(other.erase(row).outcome == RowOutcome::Done);  // the lock is free again
        other.finish();
    }
    transaction->commit();
    CHECK(accountRows(*rows) == AccountRows{{2, {"b", 2}}});
}

TEST_CASE_METHOD(RowTableFixture, "the mode of a change says whether it may change a key that others refer to") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    RowStatement statement(*storage, nullptr, storage->rows().find(rows->entry().id), LockMode::RowExclusive);
    CHECK(statement.modeOf({1, 2}) == row_lock::kNoKeyUpdate);
    CHECK(statement.modeOf({0}) == row_lock::kUpdate);
}

TEST_CASE("a transaction that changes too much is refused, and can be taken back") {
    FaultyFileSystem files;
    const auto storage = LocalStorage::open("/data", files, {.maxTransactionBytes = 100'000, .maintenance = false});
    DatabaseEntry database;
    database.path = "dfs://bank";
    storage->catalog().createDatabase(database);
    storage->catalog().createTable(accountTable());
    const Ref<RowTable> rows = makeRef<RowTable>(storage, storage->catalog().database("dfs://bank"),
                                                 storage->catalog().table("dfs://bank", "accounts"));
    const auto transaction = storage->beginTransaction({});
    transaction->beginStatement({});
    rows->insertRows(*accounts({1}, {"a"}, {1}), *transaction);
    rows->insertRows(*accounts({2}, {std::string(60'000, 'x')}, {1}), *transaction);
    CHECK_THROWS_WITH(rows->insertRows(*accounts({3}, {std::string(60'000, 'x')}, {1}), *transaction),
                      Catch::Contains("<TransactionTooLarge>"));
    transaction->commit();
    CHECK(rows->rowCount() == 2);
}
