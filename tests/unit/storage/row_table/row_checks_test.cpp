#include "storage/row_table/row_checks.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE("rows of a table without checks pass, and NULL is refused where none may be") {
    const TableEntry entry = accountTable();
    const auto rows = accounts({1, INT64_MIN}, {"a", "b"}, {1, 2});
    const RowChecks checks(entry, *rows);
    checks.require(1);
    CHECK_THROWS_WITH(requireRules(entry, *rows), Catch::Contains("<NullInRequired>"));
    requireRules(entry, *accounts({1}, {""}, {1}));
}
