#include "storage/table/local_table.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "runtime/append/script_transaction.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

// A storage with a row table, and a table of columns beside it.
class RowsAndColumns : public RowTableFixture {
public:
    RowsAndColumns() {
        storage->catalog().createDatabase(tradeDatabase());
        storage->catalog().createTable(tradeTable());
        columns()->append(*trades(0, 3));
        table()->append(*accounts({1}, {"a"}, {1}));
    }
    Ref<LocalTable> columns() const {
        return makeRef<LocalTable>(storage, storage->catalog().database("dfs://trades"),
                                   storage->catalog().table("dfs://trades", "trades"));
    }
    // What a statement of the block sees of the table of columns.
    int64_t seen() const {
        const Ref<LocalTable> table = columns();
        std::shared_ptr<TableSnapshot> snapshot = table->takeSnapshot();
        if (const Ref<MemoryTable> kept = ScriptTransaction::current()->keptRows(*table))
            snapshot = table->withRows(std::move(snapshot), *kept);
        int64_t rows = 0;
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const auto reader = snapshot->open(p);
            CHECK(readRows(*reader, table->columns())->rowCount() == reader->rowCount());
            rows += reader->rowCount();
        }
        return rows;
    }
};

}  // namespace

TEST_CASE_METHOD(RowsAndColumns, "appends of a block are seen in it, and by others when it has ended") {
    {
        ScriptTransaction block({});
        table()->append(*accounts({2}, {"b"}, {2}));
        columns()->append(*trades(3, 4));
        columns()->append(*trades(7, 1));
        CHECK(table()->rowCount() == 2);
        CHECK(seen() == 8);
        CHECK(columns()->rowCount() == 3);
        std::thread other([&] {
            CHECK(table()->rowCount() == 1);
            CHECK(ScriptTransaction::current() == nullptr);
        });
        other.join();
        block.commit();
    }
    CHECK(table()->rowCount() == 2);
    CHECK(columns()->rowCount() == 8);
    files.losePower(1);
    open();
    CHECK(table()->rowCount() == 2);
    CHECK(columns()->rowCount() == 8);
}

TEST_CASE_METHOD(RowsAndColumns, "a block that is left is taken back, and one within another alone") {
    {
        ScriptTransaction block({});
        table()->append(*accounts({2}, {"b"}, {2}));
        columns()->append(*trades(3, 4));
    }
    CHECK(table()->rowCount() == 1);
    CHECK(columns()->rowCount() == 3);
    ScriptTransaction outer({});
    const auto nested = [&](int64_t id, bool isKept) {
        ScriptTransaction inner({});
        table()->append(*accounts({id}, {"x"}, {0}));
        columns()->append(*trades(id, 1));
        if (isKept) inner.commit();
    };
    nested(10, false);
    CHECK(table()->rowCount() == 1);
    CHECK(seen() == 3);
    nested(11, true);
    nested(12, false);
    CHECK(table()->rowCount() == 2);
    CHECK(seen() == 4);
    outer.commit();
    CHECK(ScriptTransaction::current() == nullptr);
    CHECK(accountRows(*table()).count(11) == 1);
    CHECK(table()->rowCount() == 2);
    CHECK(columns()->rowCount() == 4);
}

TEST_CASE_METHOD(RowsAndColumns, "a statement of a block that fails leaves those before it") {
    ScriptTransaction block({});
    table()->append(*accounts({2}, {"b"}, {2}));
    CHECK_THROWS_WITH(table()->append(*accounts({3, 1}, {"c", "d"}, {3, 4})), Catch::Contains("<DuplicateKey>"));
    CHECK(table()->rowCount() == 2);
    CHECK_THROWS_WITH(columns()->replace(*columns()->takeSnapshot(), {}), Catch::Contains("<NotSupported>"));
    CHECK_THROWS_WITH(columns()->upsert(*trades(0, 1), {{"id"}, {}, false}), Catch::Contains("<NotSupported>"));
    CHECK_THROWS_WITH(table()->createIndex("i", {"name"}, false), Catch::Contains("<ActiveTransaction>"));
    block.commit();
    CHECK(table()->rowCount() == 2);
}

TEST_CASE_METHOD(RowsAndColumns, "a block that waits beside tables in memory gives up after its time") {
    const std::unique_ptr<Transaction> other = table()->beginTransaction();
    other->beginStatement({});
    table()->insertRows(*accounts({2}, {"b"}, {2}), *other);
    ScriptTransaction block({.lockTimeout = std::chrono::milliseconds(20)});
    CHECK_THROWS_WITH(table()->append(*accounts({2}, {"c"}, {3})), Catch::Contains("<LockNotAvailable>"));
    other->rollback();
    table()->append(*accounts({2}, {"c"}, {3}));
    block.commit();
    CHECK(accountRows(*table()).at(2).first == "c");
}

TEST_CASE("a block's commit is whole, whatever the disk does") {
    using Fault = FaultyFileSystem::Fault;
    int whole = 0, none = 0;
    for (const Fault fault : {Fault::Power, Fault::Room, Fault::Sync}) {
        for (int64_t call = 1; call <= 10; ++call) {
            for (const int64_t count : {5, 70000}) {
                CAPTURE(static_cast<int>(fault), call, count);
                RowsAndColumns fixture;
                bool isDone = true;
                try {
                    ScriptTransaction block({});
                    fixture.table()->append(*accounts({2, 3}, {"b", "c"}, {2, 3}));
                    fixture.columns()->append(*trades(3, count));
                    fixture.files.breakAt(fault, call);
                    block.commit();
                } catch (const SystemError&) {
                    isDone = false;
                }
                CHECK(ScriptTransaction::current() == nullptr);
                const auto check = [&](bool mayBeThere) {
                    const int64_t added = fixture.table()->rowCount() - 1;
                    CHECK((added == 2 || (added == 0 && !isDone)));
                    if (!mayBeThere && !isDone) CHECK(added == 0);
                    CHECK(fixture.columns()->rowCount() == 3 + (added == 2 ? count : 0));
                    CHECK(fixture.table()->check().empty());
                    return added == 2;
                };
                if (fault != Fault::Power) check(false);
                fixture.files.breakAt(Fault::Power, -1);
                if (call % 2 == 0 || fault == Fault::Power) fixture.files.losePower(static_cast<uint64_t>(call));
                fixture.open();
                check(true) ? ++whole : ++none;
            }
        }
    }
    CHECK(whole > 0);
    CHECK(none > 0);
}
