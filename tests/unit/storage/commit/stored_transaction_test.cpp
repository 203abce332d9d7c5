#include "storage/commit/stored_transaction.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "runtime/table/stored_table.h"
#include "storage/commit/commit_path.h"
#include "storage/rows/row_store.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "the next writer of a table goes on when a record is written, before its sync") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    const std::string log = "/data/wal/" + format::numberedName(1, ".wal");
    const size_t before = files.sizeOf(log);
    files.holdSyncs(true, "/data/wal");
    std::thread first([&] { rows->append(*accounts({2}, {"b"}, {2})); });
    while (files.sizeOf(log) == before) std::this_thread::yield();
    // The first is written and in its sync: the second meets its row, which no reader sees yet.
    CHECK_THROWS_WITH(rows->append(*accounts({2}, {"c"}, {3})), Catch::Contains("<DuplicateKey>"));
    CHECK(accountRows(*rows).size() == 1);
    files.holdSyncs(false);
    first.join();
    CHECK(accountRows(*rows).at(2).first == "b");
}

TEST_CASE_METHOD(RowTableFixture, "a failed sync takes placed rows back, and what was built on them fails too") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    const AccountRows before = accountRows(*rows);
    files.failSyncs(true);
    CHECK_THROWS_AS(rows->append(*accounts({2}, {"b"}, {2})), SystemError);
    CHECK_THROWS_AS(rows->append(*accounts({3}, {"c"}, {3})), SystemError);
    CHECK(accountRows(*rows) == before);
    files.failSyncs(false);
    CHECK_THROWS_AS(rows->append(*accounts({3}, {"c"}, {3})), SystemError);
    storage->maintenance().renewLog();
    rows->append(*accounts({2}, {"new"}, {2}));
    CHECK(accountRows(*rows).at(2).first == "new");
    CHECK(rows->check().empty());
    files.losePower(5);
    open();
    CHECK(accountRows(*table()).at(2).first == "new");
    CHECK(accountRows(*table()).size() == 2);
}

TEST_CASE_METHOD(RowTableFixture, "a full disk takes no statement, and the table goes on when there is room") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    files.setFreeBytes(0);
    CHECK_THROWS_AS(rows->append(*accounts({2}, {std::string(20000, 'x')}, {2})), SystemError);
    CHECK(rows->rowCount() == 1);
    files.setFreeBytes(INT64_MAX);
    rows->append(*accounts({2}, {"b"}, {2}));
    CHECK(rows->rowCount() == 2);
    open();
    CHECK(table()->rowCount() == 2);
    CHECK(table()->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "writers of several threads lose no change") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({0}, {"sum"}, {0}));
    const auto add = [&] {
        for (int i = 0; i < 50; ++i) {
            for (;;) {
                const RowAccess::Rows seen = rows->rowsToChange({columnEquals(0, Value::ofLong(0))});
                const double sum = seen.rows->column(2).at(0).asDouble();
                if (rows->changeRows(seen, {{0}, false, {{2, doubleVector({sum + 1})}}})) break;
            }
        }
    };
    std::thread one(add), two(add), three(add);
    one.join();
    two.join();
    three.join();
    CHECK(accountRows(*rows).at(0).second == 150);
    open();
    CHECK(accountRows(*table()).at(0).second == 150);
}

namespace {

// Runs statements of one session of its own.
struct Session {
    explicit Session(RowTableFixture& fixture, IsolationLevel level = IsolationLevel::ReadCommitted)
        : transaction(fixture.storage->beginTransaction({.level = level})) {
        begin();
    }
    void begin() { transaction->beginStatement({}); }
    void insert(RowTable& table, int64_t id, double balance) {
        begin();
        table.insertRows(*accounts({id}, {"x"}, {balance}), *transaction);
    }
    // Adds to the balance of a row, as an update by key does, and returns whether there was one.
    bool add(RowTable& table, int64_t id, double amount) {
        begin();
        const RowAccess::Rows seen = table.rowsToChange({columnEquals(0, Value::ofLong(id))}, transaction.get());
        if (seen.ids.empty()) return false;
        const RowAccess::LockedRows locked =
            table.lockRows(seen, {0}, RowLockStrength::NoKeyUpdate, RowLockPolicy::Wait, *transaction);
        const RowAccess::Rows& rows = locked.kept.empty() ? locked.renewed : seen;
        if (rows.ids.empty()) return false;
        const double balance = rows.rows->column(2).at(0).asDouble();
        return table.changeRows(rows, {{0}, false, {{2, doubleVector({balance + amount})}}}, transaction.get());
    }
    AccountRows rows(const RowTable& table) {
        begin();
        const auto snapshot = table.takeSnapshotIn(*transaction);
        AccountRows rows;
        if (snapshot->partitions().empty()) return rows;
        const Ref<MemoryTable> read = readRows(*snapshot->open(0), table.columns());
        for (int64_t i = 0; i < read->rowCount(); ++i)
            rows[read->column(0).at(i).integer()] = {std::string(read->column(1).at(i).string()),
                                                     read->column(2).at(i).asDouble()};
        return rows;
    }

    std::unique_ptr<StoredTransaction> transaction;
};

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "a transaction over two tables is seen by itself, then by all, and is one record") {
    TableEntry second = accountTable("second");
    storage->catalog().createTable(second);
    const Ref<RowTable> one = table(), two = table("second");
    one->append(*accounts({1}, {"x"}, {10}));
    Session session(*this);
    CHECK(session.add(*one, 1, -4));
    session.insert(*two, 7, 4);
    CHECK(session.add(*two, 7, 1));
    CHECK(session.rows(*one).at(1).second == 6);
    CHECK(session.rows(*two).at(7).second == 5);
    CHECK(accountRows(*one).at(1).second == 10);
    CHECK(two->rowCount() == 0);
    session.transaction->commit();
    CHECK(accountRows(*one).at(1).second == 6);
    CHECK(accountRows(*two).at(7).second == 5);
    open();
    CHECK(accountRows(*table()).at(1).second == 6);
    CHECK(accountRows(*table("second")).at(7).second == 5);
}

TEST_CASE_METHOD(RowTableFixture, "a transaction that is left leaves nothing, and its rows are free") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"x"}, {10}));
    {
        Session session(*this);
        session.add(*rows, 1, 1);
        session.insert(*rows, 2, 2);
    }
    CHECK(accountRows(*rows) == AccountRows{{1, {"x", 10}}});
    CHECK(rows->changeRows(rows->rowsToChange({}), {{0}, true, {}}));
    CHECK(rows->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "a savepoint takes back changes and locks that came after it") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"x", "x"}, {10, 20}));
    Session session(*this);
    session.transaction->savepoint();
    session.add(*rows, 1, 1);
    session.transaction->savepoint();
    session.add(*rows, 2, 1);
    session.insert(*rows, 3, 3);
    session.transaction->rollbackTo(size_t{2});
    CHECK(session.rows(*rows) == AccountRows{{1, {"x", 11}}, {2, {"x", 20}}});
    Session other(*this);
    CHECK(other.add(*rows, 2, 5));
    other.insert(*rows, 3, 30);
    other.transaction->commit();
    session.transaction->rollbackTo(size_t{1});
    CHECK(session.rows(*rows) == AccountRows{{1, {"x", 10}}, {2, {"x", 25}}, {3, {"x", 30}}});
    session.transaction->release(0);
    session.add(*rows, 1, 2);
    session.transaction->commit();
    CHECK(accountRows(*rows).at(1).second == 12);
    CHECK(rows->check().empty());
}

TEST_CASE_METHOD(RowTableFixture,
                 "read committed sees what is committed between statements; repeatable read does not") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"x"}, {10}));
    Session committed(*this), repeatable(*this, IsolationLevel::RepeatableRead);
    CHECK(committed.rows(*rows).at(1).second == 10);
    CHECK(repeatable.rows(*rows).at(1).second == 10);
    rows->changeRows(rows->rowsToChange({}), {{0}, false, {{2, doubleVector({11})}}});
    CHECK(committed.rows(*rows).at(1).second == 11);
    CHECK(repeatable.rows(*rows).at(1).second == 10);
    CHECK(committed.add(*rows, 1, 1));
    committed.transaction->commit();
    CHECK_THROWS_WITH(repeatable.add(*rows, 1, 1), Catch::Contains("<ConcurrentChange>"));
    repeatable.transaction->rollback();
    CHECK(accountRows(*rows).at(1).second == 12);
}

TEST_CASE_METHOD(RowTableFixture, "a change waits for the row, and builds on what the other has left") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"x", "x"}, {10, 20}));
    for (const bool commits : {true, false}) {
        Session first(*this);
        CHECK(first.add(*rows, 1, 5));
        bool isDone = false;
        std::thread waiting([&] {
            Session second(*this);
            isDone = second.add(*rows, 1, 100);
            second.transaction->commit();
        });
        while (storage->rows().locks().waiting() == 0) std::this_thread::yield();
        CHECK(Session(*this).add(*rows, 2, 1));  // another row is free
        commits ? first.transaction->commit() : first.transaction->rollback();
        waiting.join();
        CHECK(isDone);
    }
    CHECK(accountRows(*rows).at(1).second == 215);
    CHECK(rows->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "who inserts a key waits for the other who has inserted it") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"x"}, {10}));
    for (const bool commits : {true, false}) {
        Session first(*this);
        first.insert(*rows, commits ? 7 : 8, 1);
        bool isDuplicate = false;
        std::thread waiting([&] {
            Session second(*this);
            try {
                second.insert(*rows, commits ? 7 : 8, 2);
                second.transaction->commit();
            } catch (const UserError& error) {
                isDuplicate = std::string(error.what()).find("<DuplicateKey>") != std::string::npos;
            }
        });
        while (storage->rows().locks().waiting() == 0) std::this_thread::yield();
        commits ? first.transaction->commit() : first.transaction->rollback();
        waiting.join();
        CHECK(isDuplicate == commits);
    }
    CHECK(accountRows(*rows).at(7).second == 1);
    CHECK(accountRows(*rows).at(8).second == 2);
}

TEST_CASE_METHOD(RowTableFixture,
                 "rows that others have locked are refused or skipped where a statement asks for that") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2, 3}, {"x", "x", "x"}, {1, 2, 3}));
    Session first(*this), second(*this);
    first.add(*rows, 1, 1);
    second.begin();
    const RowAccess::Rows seen = rows->rowsToChange({}, second.transaction.get());
    const auto lock = [&](RowLockPolicy policy, int64_t limit) {
        return rows->lockRows(seen, {0, 1, 2}, RowLockStrength::Update, policy, *second.transaction, limit).kept;
    };
    CHECK_THROWS_WITH(lock(RowLockPolicy::Refuse, 3), Catch::Contains("<LockNotAvailable>"));
    CHECK(lock(RowLockPolicy::Skip, 1) == std::vector<int32_t>{1});
    CHECK(lock(RowLockPolicy::Skip, 9) == std::vector<int32_t>{1, 2});
    first.transaction->commit();
    const RowAccess::LockedRows now =
        rows->lockRows(seen, {0}, RowLockStrength::Share, RowLockPolicy::Wait, *second.transaction);
    CHECK(now.kept.empty());
    CHECK(now.renewed.rows->column(2).at(0).asDouble() == 2);
}

TEST_CASE_METHOD(RowTableFixture, "a transaction that was open when the log failed commits nothing more") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"x"}, {10}));
    Session open(*this);
    open.insert(*rows, 5, 5);
    files.failSyncs(true);
    CHECK_THROWS_AS(rows->append(*accounts({2}, {"b"}, {2})), SystemError);
    files.failSyncs(false);
    storage->maintenance().renewLog();
    CHECK_THROWS_AS(open.transaction->commit(), SystemError);
    Session after(*this);
    after.insert(*rows, 5, 6);
    after.transaction->commit();
    CHECK(accountRows(*rows) == AccountRows{{1, {"x", 10}}, {5, {"x", 6}}});
    CHECK(rows->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "a definition waits for those that change the table") {
    const Ref<RowTable> rows = table();
    Session first(*this);
    first.insert(*rows, 1, 1);
    std::atomic<bool> isMade{false};
    std::thread definition([&] {
        table()->createIndex("by_balance", {"balance"}, false);
        isMade = true;
    });
    while (storage->rows().locks().waiting() == 0) std::this_thread::yield();
    CHECK_FALSE(isMade);
    first.insert(*rows, 2, 2);
    first.transaction->commit();
    definition.join();
    CHECK(table()->rowsToChange({columnEquals(2, Value::ofDouble(2))}).ids.size() == 1);
    CHECK(table()->check().empty());
}

TEST_CASE_METHOD(RowTableFixture, "who waits for each other is told, the younger, and the other goes on") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"x", "x"}, {10, 20}));
    Session old(*this);
    old.add(*rows, 1, 1);
    std::string told;
    std::atomic<bool> hasRow{false};
    std::thread thread([&] {
        Session young(*this);
        young.add(*rows, 2, 1);
        hasRow = true;
        try {
            young.add(*rows, 1, 1);
        } catch (const UserError& error) {
            told = error.what();
        }
    });
    while (!hasRow) std::this_thread::yield();
    CHECK(old.add(*rows, 2, 1));
    old.transaction->commit();
    thread.join();
    CHECK(told.starts_with("<Deadlock>"));
    CHECK(accountRows(*rows) == AccountRows{{1, {"x", 11}}, {2, {"x", 21}}});
}

TEST_CASE_METHOD(RowTableFixture, "each snapshot of transfers between two tables has the total") {
    storage->catalog().createTable(accountTable("second"));
    const Ref<RowTable> one = table(), two = table("second");
    one->append(*accounts({0, 1, 2, 3}, {"x", "x", "x", "x"}, {100, 100, 100, 100}));
    two->append(*accounts({0, 1, 2, 3}, {"x", "x", "x", "x"}, {100, 100, 100, 100}));
    std::atomic<bool> isDone{false}, isWrong{false};
    std::atomic<int> moved{0};
    const auto move = [&](unsigned seed) {
        unsigned state = seed;
        const auto next = [&] { return (state = state * 1103515245 + 12345) >> 16; };
        for (int i = 0; i < 60; ++i) {
            Session session(*this, next() % 3 == 0 ? IsolationLevel::RepeatableRead : IsolationLevel::ReadCommitted);
            try {
                session.add(next() % 2 == 0 ? *one : *two, next() % 4, -1);
                session.add(next() % 2 == 0 ? *one : *two, next() % 4, 1);
                if (next() % 5 == 0) continue;
                session.transaction->commit();
                ++moved;
            } catch (const UserError&) {
            }
        }
    };
    std::thread reader([&] {
        while (!isDone) {
            Session session(*this, IsolationLevel::RepeatableRead);
            double total = 0;
            for (const RowTable* each : {&*one, &*two}) {
                for (const auto& [id, account] : session.rows(*each)) total += account.second;
            }
            if (total != 800) isWrong = true;
        }
    });
    std::vector<std::thread> threads;
    for (unsigned i = 1; i <= 4; ++i) threads.emplace_back(move, i * 77);
    for (std::thread& thread : threads) thread.join();
    isDone = true;
    reader.join();
    CHECK_FALSE(isWrong);
    CHECK(moved > 0);
    CHECK(one->check().empty());
    open();
    double total = 0;
    for (const auto& [id, account] : accountRows(*table())) total += account.second;
    for (const auto& [id, account] : accountRows(*table("second"))) total += account.second;
    CHECK(total == 800);
}

TEST_CASE("rows of both kinds of tables come with one commit, whatever the disk does") {
    using Fault = FaultyFileSystem::Fault;
    int whole = 0, none = 0;
    for (const Fault fault : {Fault::Power, Fault::Room, Fault::Sync}) {
        for (int64_t call = 1; call <= 12; ++call) {
            // Large appends have a column file, too.
            for (const int64_t count : {5, 70000}) {
                CAPTURE(static_cast<int>(fault), call, count);
                RowTableFixture fixture;
                fixture.storage->catalog().createDatabase(tradeDatabase());
                fixture.storage->catalog().createTable(tradeTable());
                const auto columns = [&] {
                    return makeRef<LocalTable>(fixture.storage, fixture.storage->catalog().database("dfs://trades"),
                                               fixture.storage->catalog().table("dfs://trades", "trades"));
                };
                const Ref<RowTable> rows = fixture.table();
                rows->append(*accounts({1}, {"a"}, {1}));
                columns()->append(*trades(0, 3));
                const std::unique_ptr<Transaction> transaction = fixture.storage->beginTransaction({});
                transaction->beginStatement({});
                rows->insertRows(*accounts({2, 3}, {"b", "c"}, {2, 3}), *transaction);
                CHECK(accountRows(*rows).size() == 1);
                fixture.files.breakAt(fault, call);
                bool isDone = true;
                try {
                    const Ref<LocalTable> table = columns();
                    table->appendTogether({{table, trades(3, count)}}, transaction.get());
                } catch (const SystemError&) {
                    isDone = false;
                }
                const auto check = [&](bool mayBeThere) {
                    const int64_t added = fixture.table()->rowCount() - 1;
                    CHECK((added == 2 || (added == 0 && !isDone)));
                    if (!mayBeThere && !isDone) CHECK(added == 0);
                    CHECK(columns()->rowCount() == 3 + (added == 2 ? count : 0));
                    CHECK(fixture.table()->check().empty());
                    return added == 2;
                };
                if (fault != Fault::Power) check(false);
                fixture.files.breakAt(Fault::Power, -1);
                if (call % 2 == 0 || fault == Fault::Power) fixture.files.losePower(static_cast<uint64_t>(call));
                fixture.open();
                check(true) ? ++whole : ++none;
                fixture.table()->append(*accounts({9}, {"i"}, {9}));
            }
        }
    }
    CHECK(whole > 5);
    CHECK(none > 5);
}
