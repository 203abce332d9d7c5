#include "storage/row_table/row_table.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "upsert replaces rows by the primary key") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"a", "b"}, {1, 2}));
    const UpsertReport report = rows->upsert(*accounts({2, 3, 3}, {"", "c", "d"}, {20, 30, 31}), {{}, {}, true});
    CHECK(report.inserted == 1);
    CHECK(report.updated == 2);
    CHECK(accountRows(*rows) == AccountRows{{1, {"a", 1}}, {2, {"b", 20}}, {3, {"d", 31}}});
    CHECK_THROWS_WITH(rows->upsert(*accounts({1}, {"a"}, {1}), {{"name"}, {}, false}), Catch::Contains("unique index"));
}

TEST_CASE_METHOD(RowTableFixture, "rows whose key is there are left out where a statement asks for that") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1}, {"a"}, {1}));
    CHECK(rows->insertNew(*accounts({1, 2, 2}, {"b", "c", "d"}, {1, 2, 3}), {}) == std::vector<int32_t>{1});
    CHECK(rows->insertNew(*accounts({1}, {"b"}, {1}), {"id"}).empty());
    CHECK(accountRows(*rows) == AccountRows{{1, {"a", 1}}, {2, {"c", 2}}});
    CHECK_THROWS_WITH(rows->insertNew(*accounts({3}, {"b"}, {1}), {"name"}), Catch::Contains("<NoSuchKey>"));
}

TEST_CASE_METHOD(RowTableFixture, "an index of rows that are there refuses duplicates, and survives") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"same", "same"}, {1, 2}));
    CHECK_THROWS_AS(rows->createIndex("by_name", {"name"}, true), UserError);
    rows->append(*accounts({3}, {"same"}, {3}));
    rows->createIndex("by_balance", {"balance"}, true);
    CHECK_THROWS_WITH(rows->createIndex("by_balance", {"name"}, false), Catch::Contains("<DuplicateName>"));
    CHECK_THROWS_WITH(rows->createIndex("other", {"missing"}, false), Catch::Contains("missing"));
    CHECK_THROWS_WITH(rows->append(*accounts({4}, {"x"}, {3})), Catch::Contains("by_balance"));
    open();
    CHECK_THROWS_WITH(table()->append(*accounts({4}, {"x"}, {3})), Catch::Contains("by_balance"));
    CHECK(table()->check().empty());
}
