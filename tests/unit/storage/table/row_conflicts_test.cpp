#include "storage/table/row_table.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "rows with the keys of others are found, and changed with new ones together") {
    const Ref<RowTable> rows = table();
    const auto given = accounts({1, 5, 5, 2}, {"n", "m", "o", "p"}, {10, 50, 51, 20});
    CHECK(rows->findConflicts(*given, {"id"}).of == std::vector<int32_t>{-1, -1, -1, -1});
    rows->append(*accounts({1, 2, 3}, {"a", "b", "c"}, {1, 2, 3}));
    const RowAccess::Conflicts met = rows->findConflicts(*given, {"id"});
    CHECK(met.of == std::vector<int32_t>{0, -1, -1, 1});
    CHECK(met.earlier == std::vector<int32_t>{0, 1, 1, 3});
    CHECK(met.there.rows->rowCount() == 2);
    CHECK_THROWS_WITH(rows->findConflicts(*given, {"name"}), Catch::Contains("<NoSuchKey>"));
    const RowAccess::RowUpdate update{{0, 1}, false, {{2, doubleVector({11, 22})}}};
    CHECK(rows->insertAndChange({*given, {1}, {"id"}}, met.there, update));
    CHECK(accountRows(*rows) == AccountRows{{1, {"a", 11}}, {2, {"b", 22}}, {3, {"c", 3}}, {5, {"m", 50}}});
    // The rows have changed since, and the key is taken.
    CHECK_FALSE(rows->insertAndChange({*given, {}, {"id"}}, met.there, update));
    CHECK_FALSE(rows->insertAndChange({*given, {1}, {"id"}}, rows->findConflicts(*given, {"id"}).there, {}));
    CHECK(rows->check().empty());
    open();
    CHECK(table()->rowCount() == 4);
}
