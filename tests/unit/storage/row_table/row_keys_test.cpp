#include "storage/row_table/row_keys.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "stored names of columns are found by those that they have now") {
    const Ref<RowTable> rows = table();
    rows->renameColumn("name", "label");
    CHECK(storedNames(rows->entry(), {"label", "id"}) == std::vector<std::string>{"name", "id"});
    CHECK_THROWS_AS(storedNames(rows->entry(), {"name"}), UserError);
}
