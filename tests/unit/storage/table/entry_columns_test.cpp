#include "storage/table/entry_columns.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE("a column that is dropped takes along what is said of it, and its stored name is not used again") {
    TableEntry entry = accountTable();
    giveStoredNames(entry);
    entry.defaults["name"] = {"'x'", ColumnDefault::Identity::None};
    entry.rowTable->checks = {{"c", "(name <> 'y')", {"name"}}, {"d", "(balance > 0)", {"balance"}}};
    CHECK_THROWS_AS(dropColumnFrom(entry, "id"), UserError);
    dropColumnFrom(entry, "name");
    CHECK(entry.defaults.empty());
    REQUIRE(entry.rowTable->checks.size() == 1);
    addColumnsTo(entry, {{"name", Type::Int}});
    CHECK(entry.storedNameOf(2) == "name#2");
    renameColumnIn(entry, "balance", "amount");
    CHECK(entry.storedNameOf(1) == "balance");
    CHECK_THROWS_AS(renameColumnIn(entry, "amount", "name"), UserError);
    CHECK_THROWS_AS(addColumnsTo(entry, {{"id", Type::Int}}), UserError);
    CHECK(positionOf(entry, "amount") == 1);
}
