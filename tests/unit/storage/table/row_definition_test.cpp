#include "storage/table/row_table.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/row_table_fixture.h"

using namespace pelorus;

TEST_CASE_METHOD(RowTableFixture, "a definition is changed where rows satisfy it, else nothing is") {
    const Ref<RowTable> rows = table();
    rows->append(*accounts({1, 2}, {"a", ""}, {1, 1}));
    const auto require = [](const std::string& column) {
        return [=](TableEntry& entry) { entry.rowTable->required.push_back(column); };
    };
    CHECK_THROWS_WITH(rows->changeDefinition(require("name")), Catch::Contains("<NullInRequired>"));
    rows->changeDefinition(require("balance"));
    CHECK_THROWS_WITH(rows->changeDefinition([](TableEntry& entry) {
        entry.rowTable->indexes.push_back({"by_balance", {"balance"}, true, false, true});
    }),
                      Catch::Contains("<DuplicateKey>"));
    CHECK(rows->entry().rowTable->indexes.size() == 1);
    rows->changeDefinition([](TableEntry& entry) {
        entry.defaults["name"] = {"'x'", ColumnDefault::Identity::None};
        entry.rowTable->indexes.push_back({"by_name", {"name"}, true, false, true});
    });
    CHECK_THROWS_WITH(rows->append(*accounts({3}, {"a"}, {3})), Catch::Contains("by_name"));
    open();
    CHECK(table()->entry().defaultOf(1).expression == "'x'");
    CHECK(table()->entry().rowTable->indexes.back().isConstraint);
    CHECK_THROWS_WITH(table()->append(*accounts({3}, {"a"}, {3})), Catch::Contains("by_name"));
    CHECK(table()->check().empty());
}
