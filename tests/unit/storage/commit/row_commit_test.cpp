#include "storage/commit/row_commit.h"

#include <catch2/catch.hpp>
#include <thread>

#include "common/error.h"
#include "storage/commit/commit_path.h"
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
                const RowAccess::Rows seen = rows->rowsToChange({{0, Value::ofLong(0)}});
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
