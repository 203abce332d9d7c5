#include "storage/row_table/row_cells.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> ofColumns(std::vector<std::string> names, std::vector<Value> columns) {
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

}  // namespace

TEST_CASE_METHOD(RowTableFixture, "a constraint refuses all rows of a statement") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"a", "b"}, {1, 2}));
    const AccountRows before = accountRows(*rows);
    CHECK_THROWS_WITH(rows->append(*accounts({3, 1}, {"c", "d"}, {3, 4})), Catch::Contains("<DuplicateKey>"));
    CHECK_THROWS_WITH(rows->append(*accounts({3, 3}, {"c", "d"}, {3, 4})), Catch::Contains("accounts_pkey"));
    CHECK_THROWS_WITH(rows->append(*accounts({3, INT64_MIN}, {"c", "d"}, {3, 4})), Catch::Contains("<NullInRequired>"));
    const RowAccess::Rows seen = rows->rowsToChange({});
    REQUIRE(seen.ids.size() == 2);
    CHECK_THROWS_WITH(rows->changeRows(seen, {{0, 1}, false, {{0, longVector({9, 9})}}}),
                      Catch::Contains("<DuplicateKey>"));
    CHECK(accountRows(*rows) == before);
    CHECK(rows->check().empty());
    CHECK(rows->changeRows(seen, {{0, 1}, false, {{0, longVector({2 + 10, 1 + 10})}}}));
    CHECK(rows->rowsToChange({columnEquals(0, Value::ofLong(12))}).ids.size() == 1);
    // The key that a row had leads to it still: who looks asks the condition again.
    const RowAccess::Rows left = rows->rowsToChange({columnEquals(0, Value::ofLong(1))});
    for (int64_t i = 0; i < left.rows->rowCount(); ++i) CHECK(left.rows->column(0).at(i).integer() != 1);
}

TEST_CASE_METHOD(RowTableFixture, "strings are as long after an update as after an insert") {
    const Ref<RowTable> rows = table();
    const std::string longName(100'000, 'x');
    rows->append(*accounts({1, 2}, {longName, "b"}, {1, 2}));
    const RowAccess::Rows seen = rows->rowsToChange({columnEquals(0, Value::ofLong(2))});
    CHECK(rows->changeRows(seen, {{0}, false, {{1, stringVector({longName}, Type::String)}}}));
    CHECK(accountRows(*rows).at(1).first.size() == 65535);
    CHECK(accountRows(*rows).at(2).first.size() == 65535);
    rows->addColumns({{"data", Type::Blob}});
    const std::string tooLong((3 << 20) + 1, 'x');
    CHECK_THROWS_WITH(rows->upsert(*ofColumns({"id", "name", "balance", "data"},
                                              {longVector({1}), stringVector({"a"}, Type::String), doubleVector({1}),
                                               stringVector({tooLong}, Type::Blob)}),
                                   {}),
                      Catch::Contains("3145728"));
    const RowAccess::Rows all = rows->rowsToChange({});
    CHECK_THROWS_WITH(rows->changeRows(all, {{0}, false, {{3, stringVector({tooLong}, Type::Blob)}}}),
                      Catch::Contains("3145728"));
    CHECK(rows->check().empty());
}
