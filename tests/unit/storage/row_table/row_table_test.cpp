#include "storage/row_table/row_table.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "common/error.h"
#include "common/thread/work_arena.h"
#include "runtime/memory/budget.h"
#include "runtime/table/stored_table.h"
#include "storage/commit/commit_path.h"
#include "storage/rows/row_store.h"
#include "storage/version/version_set.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "rows of a row table are there after a restart, with and without a checkpoint") {
    const Ref<RowTable> before = table();
    before->append(*accounts({1, 2, 3}, {"ann", "", "cy"}, {10, 20, 30}));
    storage->maintenance().checkpoint();
    before->append(*accounts({4}, {"dee"}, {40}));
    const RowAccess::Rows seen = before->rowsToChange({columnEquals(0, Value::ofLong(2))});
    REQUIRE(seen.ids.size() == 1);
    CHECK(before->changeRows(seen, {{0}, true, {}}));
    const AccountRows expected = accountRows(*before);
    CHECK(expected.size() == 3);
    for (int round = 0; round < 3; ++round) {
        open();
        CHECK(accountRows(*table()) == expected);
        CHECK(table()->rowCount() == 3);
        CHECK(table()->check().empty());
        if (round == 1) storage->maintenance().checkpoint();
    }
    // A slot without a row is used again.
    table()->append(*accounts({5}, {"eve"}, {50}));
    open();
    CHECK(table()->rowCount() == 4);
}

TEST_CASE_METHOD(RowTableFixture, "a snapshot of a row table shows what column tables show at its number") {
    DatabaseEntry database = tradeDatabase();
    storage->catalog().createDatabase(database);
    storage->catalog().createTable(tradeTable());
    LocalTable columns(storage, storage->catalog().database("dfs://trades"),
                       storage->catalog().table("dfs://trades", "trades"));
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"x"}, {1}));
    columns.append(*trades(0, 5));
    const auto pinned = columns.takeSnapshot();
    rows->append(*accounts({2}, {"y"}, {2}));
    columns.append(*trades(5, 5));
    CHECK(accountRows(*rows, pinned->number()).size() == 1);
    CHECK(accountRows(*rows).size() == 2);
    CHECK(sortedIds(columns).size() == 10);
    CHECK(rows->clock() == columns.clock());
}

TEST_CASE_METHOD(RowTableFixture, "a change of rows that another has changed since is refused, and can begin anew") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    const RowAccess::Rows first = rows->rowsToChange({}), second = rows->rowsToChange({});
    CHECK(rows->changeRows(first, {{0}, false, {{2, doubleVector({5})}}}));
    CHECK_FALSE(rows->changeRows(second, {{0}, false, {{2, doubleVector({6})}}}));
    CHECK(accountRows(*rows)[1].second == 5);
    CHECK(rows->changeRows(rows->rowsToChange({}), {{0}, true, {}}));
    CHECK(rows->rowCount() == 0);
}

TEST_CASE_METHOD(RowTableFixture, "damage in the changes of rows before a checkpoint is found, and nothing is opened") {
    std::vector<int64_t> ids(300);
    std::iota(ids.begin(), ids.end(), 100);
    table()->append(*accounts(ids, std::vector<std::string>(300, "many"), std::vector<double>(300, 1)));
    storage->maintenance().checkpoint();
    // The page is far larger than its change, so that no new image is written.
    table()->append(*accounts({1}, {"a"}, {1}));
    storage->maintenance().checkpoint();
    table()->append(*accounts({2}, {"b"}, {2}));
    const std::string kept = "/data/wal/" + format::numberedName(2, ".wal");
    REQUIRE(files.exists(kept));
    storage.reset();
    files.endProcess();
    files.flipBit(kept, files.sizeOf(kept) - 3, 2);
    CHECK_THROWS_WITH(open(), Catch::Contains("damaged"));
    files.flipBit(kept, files.sizeOf(kept) - 3, 2);
    open();
    CHECK(table()->rowCount() == 302);
    files.endProcess();
    files.remove(kept);
    CHECK_THROWS_WITH(open(), Catch::Contains("missing"));
}

TEST_CASE_METHOD(RowTableFixture, "columns of a row table come, go and are renamed") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    rows->addColumns({{"note", Type::String}});
    CHECK(rows->rowsToChange({}).rows->column(3).at(0).isNull());
    rows->renameColumn("balance", "amount");
    rows->dropColumn("name");
    CHECK_THROWS_WITH(rows->dropColumn("id"), Catch::Contains("accounts_pkey"));
    CHECK_THROWS_AS(rows->retypeColumn("amount", Type::Int), UserError);
    rows->append(*makeRef<MemoryTable>(
        std::vector<std::string>{"id", "amount", "note"},
        std::vector<Value>{longVector({2}), doubleVector({2}), stringVector({"hello"}, Type::String)}));
    open();
    const Ref<RowTable> after = table();
    CHECK(columnItems(*after, 1)[0].asDouble() == 1);
    CHECK(columnItems(*after, 2)[0].isNull());
    CHECK(std::string(columnItems(*after, 2)[1].string()) == "hello");
    CHECK(after->check().empty());
}

namespace {

// A handle whose columns are those from before changes by another one: it begins each call as it was made.
Ref<MemoryTable> ofColumns(std::vector<std::string> names, std::vector<Value> columns) {
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "rows are written to the columns that the table has now, whatever a handle knows") {
    const Ref<RowTable> old = table();
    old->append(*accounts({1}, {"a"}, {1}));
    const RowAccess::Rows seen = old->rowsToChange({});
    table()->addColumns({{"note", Type::String}});
    table()->dropColumn("name");
    // The third column was the balance, and is the note now.
    CHECK_FALSE(old->changeRows(seen, {{0}, false, {{2, doubleVector({9})}}}));
    CHECK(columnItems(*table(), 1)[0].asDouble() == 1);
    CHECK(columnItems(*table(), 2)[0].isNull());
    const Ref<RowTable> second = table();
    table()->addColumns({{"more", Type::Int}});
    second->append(*ofColumns({"id", "balance", "note"},
                              {longVector({2}), doubleVector({2}), stringVector({"two"}, Type::String)}));
    table()->reorderColumns({"note"});
    const auto rows =
        ofColumns({"note", "id", "balance", "more"},
                  {stringVector({"three"}, Type::String), longVector({3}), doubleVector({3}), intVector({33})});
    CHECK(second->upsert(*rows, {}).inserted == 1);
    const Ref<RowTable> after = table();
    CHECK(after->rowCount() == 3);
    const std::vector<Value> notes = columnItems(*after, 0), ids = columnItems(*after, 1),
                             more = columnItems(*after, 3);
    for (size_t i = 0; i < 3; ++i) {
        const std::vector<std::string> expected = {"", "two", "three"};
        CHECK(std::string(notes[i].string()) == expected[static_cast<size_t>(ids[i].integer()) - 1]);
        CHECK(more[i].isNull() == (ids[i].integer() != 3));
    }
    CHECK(after->check().empty());
    open();
    CHECK(table()->rowCount() == 3);
}

TEST_CASE_METHOD(RowTableFixture, "a column of a type that no row has is refused, and the table works on") {
    const Ref<RowTable> rows = table();
    CHECK_THROWS_WITH(rows->addColumns({{"list", arrayTypeOf(Type::Int)}}), Catch::Contains("row table cannot hold"));
    rows->addColumns({{"kind", Type::Symbol}});
    CHECK(rows->columns().back().type == Type::String);
    rows->append(*ofColumns({"id", "name", "balance", "kind"}, {longVector({1}), stringVector({"a"}, Type::String),
                                                                doubleVector({1}), stringVector({"x"}, Type::String)}));
    CHECK(table()->rowCount() == 1);
}

TEST_CASE_METHOD(RowTableFixture, "rows of a row table and of another are refused together, in either order") {
    storage->catalog().createDatabase(tradeDatabase());
    storage->catalog().createTable(tradeTable());
    const auto columns = makeRef<LocalTable>(storage, storage->catalog().database("dfs://trades"),
                                             storage->catalog().table("dfs://trades", "trades"));
    const Ref<RowTable> rows = table();
    const auto some = accounts({1}, {"a"}, {1});
    CHECK_THROWS_WITH(columns->appendTogether({{columns, trades(0, 5)}, {rows, some}}, nullptr),
                      Catch::Contains("<NotSupported>"));
    CHECK_THROWS_WITH(rows->appendTogether({{rows, some}, {columns, trades(0, 5)}}, nullptr),
                      Catch::Contains("<NotSupported>"));
    CHECK(columns->rowCount() == 0);
    CHECK(rows->rowCount() == 0);
    rows->appendTogether({{rows, some}}, nullptr);
    CHECK(rows->rowCount() == 1);
}

TEST_CASE_METHOD(RowTableFixture, "a statement that ends for want of memory leaves the rows as they were") {
    const Ref<RowTable> rows = table();
    std::vector<int64_t> ids(3000);
    std::iota(ids.begin(), ids.end(), 0);
    const std::vector<std::string> names(ids.size(), std::string(600, 'n'));
    rows->append(*accounts(ids, names, std::vector<double>(ids.size(), 1)));
    const AccountRows before = accountRows(*rows);
    const int64_t limit = memory::limitBytes();
    const RowAccess::Rows seen = rows->rowsToChange({});
    const Value others = stringVector(std::vector<std::string>(ids.size(), std::string(5000, 'o')), Type::String);
    std::vector<int32_t> all(ids.size());
    std::iota(all.begin(), all.end(), 0);
    WorkArena arena(1);
    const WorkScope work(arena);
    int failed = 0;
    for (int64_t room = 1; room < 40; ++room) {
        memory::setLimitBytes(memory::usedBytes() + (room << 20));
        try {
            if (!rows->changeRows(seen, {all, false, {{1, others}}})) break;
            memory::setLimitBytes(limit);
            break;
        } catch (const memory::OutOfMemory&) {
            ++failed;
        }
        memory::setLimitBytes(limit);
        REQUIRE(accountRows(*rows) == before);
        REQUIRE(rows->check().empty());
    }
    memory::setLimitBytes(limit);
    CHECK(failed > 0);
    open();
    CHECK(table()->rowCount() == 3000);
}

TEST_CASE_METHOD(RowTableFixture, "a dropped row table stays gone, and a new one of its name is empty") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    const uint64_t id = storage->catalog().dropTable("dfs://bank", "accounts").id;
    storage->commits().removeRows(id);
    CHECK_THROWS_WITH(rows->append(*accounts({2}, {"a"}, {1})), Catch::Contains("dropped"));
    storage->catalog().createTable(accountTable());
    CHECK(table()->rowCount() == 0);
    open();
    CHECK(table()->rowCount() == 0);
    storage->maintenance().checkpoint();
    open();
    table()->append(*accounts({7}, {"a"}, {1}));
    CHECK(accountRows(*table()).count(7) == 1);
}

namespace {

// One statement at random, and the rows that it leaves when it is done.
AccountRows randomStatement(RowTable& table, AccountRows rows, std::mt19937_64& random) {
    const auto id = static_cast<int64_t>(random() % 30);
    const std::string name(random() % 40, static_cast<char>('a' + random() % 26));
    const auto balance = static_cast<double>(random() % 100);
    switch (random() % 3) {
        case 0: {
            const std::vector<int64_t> ids = {id, id + 1, id + 2};
            for (const int64_t each : ids) rows[each] = {name, balance};
            table.upsert(*accounts(ids, {name, name, name}, {balance, balance, balance}), {});
            return rows;
        }
        case 1: {
            rows.erase(id);
            const RowAccess::Rows seen = table.rowsToChange({columnEquals(0, Value::ofLong(id))});
            std::vector<int32_t> all;
            for (size_t i = 0; i < seen.ids.size(); ++i) all.push_back(static_cast<int32_t>(i));
            table.changeRows(seen, {all, true, {}});
            return rows;
        }
        default: {
            const RowAccess::Rows seen = table.rowsToChange({});
            std::vector<int32_t> all;
            std::vector<double> balances;
            for (size_t i = 0; i < seen.ids.size(); ++i) {
                all.push_back(static_cast<int32_t>(i));
                balances.push_back(balance);
            }
            for (auto& [key, row] : rows) row.second = balance;
            table.changeRows(seen, {all, false, {{2, doubleVector(balances)}}});
            return rows;
        }
    }
}

}  // namespace

TEST_CASE("whatever the disk does, acknowledged statements on rows are there, none is half, indexes fit") {
    using Fault = FaultyFileSystem::Fault;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        RowTableFixture fixture;
        std::mt19937_64 random(seed);
        AccountRows acknowledged;
        for (int crash = 0; crash < 4; ++crash) {
            CAPTURE(seed, crash);
            const Ref<RowTable> table = fixture.table();
            const Fault fault = std::vector<Fault>{Fault::Power, Fault::Room, Fault::Sync}[random() % 3];
            fixture.files.breakAt(fault, static_cast<int64_t>(random() % 60));
            bool isUnsure = false;
            for (int statement = 0; statement < 25 && !isUnsure; ++statement) {
                try {
                    isUnsure = true;
                    acknowledged = randomStatement(*table, acknowledged, random);
                    isUnsure = false;
                    if (random() % 8 == 0) fixture.storage->maintenance().checkpoint();
                } catch (const Error&) {
                    // A statement that failed may be found whole after a crash; while the process lives it is not
                    // there.
                    if (!fixture.files.isBroken()) throw;
                    break;
                }
            }
            if (fault != Fault::Power) {
                CHECK(accountRows(*table) == acknowledged);
                if (fault == Fault::Sync && random() % 2 == 0) {
                    fixture.storage->maintenance().renewLog();
                    table->upsert(*accounts({99}, {"renewed"}, {1}), {});
                    acknowledged[99] = {"renewed", 1};
                    isUnsure = false;
                    CHECK(accountRows(*table) == acknowledged);
                }
                CHECK(table->check().empty());
            }
            fixture.files.losePower(random());
            fixture.open();
            const AccountRows found = accountRows(*fixture.table());
            if (!isUnsure) CHECK(found == acknowledged);
            acknowledged = found;
            CHECK(fixture.table()->check().empty());
        }
    }
}

TEST_CASE_METHOD(RowTableFixture,
                 "readers of the oldest snapshot end when before-images are too many, and no later one does") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"a", "b"}, {1, 2}));
    const auto add = [&] {
        const RowAccess::Rows seen = rows->rowsToChange({columnEquals(0, Value::ofLong(1))});
        CHECK(rows->changeRows(seen, {{0}, false, {{1, stringVector({std::string(1000, 'x')}, Type::String)}}}));
    };
    const auto oldest = rows->takeSnapshot();
    for (int i = 0; i < 20; ++i) add();
    const auto later = rows->takeSnapshot();
    add();
    storage->rows().purge(0);
    CHECK(accountRows(*rows, oldest->number()).at(1).first == "a");
    storage->rows().purge(5000);
    CHECK_THROWS_WITH(readRows(*oldest->open(0), rows->columns()), Catch::Contains("<SnapshotTooOld>"));
    CHECK_THROWS_WITH(rows->takeSnapshot(oldest->number()), Catch::Contains("<SnapshotTooOld>"));
    CHECK(readRows(*later->open(0), rows->columns())->rowCount() == 2);
    CHECK(rows->rowCount() == 2);
    CHECK(rows->check().empty());
}
