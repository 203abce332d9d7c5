#include "streaming/engine/engine_columns.h"

#include <catch2/catch.hpp>

#include "common/error.h"

using namespace pelorus;

TEST_CASE("columns of an engine are found by name, and one that is not there is named") {
    const TableSchema columns = {
        {"time", Type::Timestamp, 0, ""}, {"sym", Type::Symbol, 0, ""}, {"price", Type::Double, 0, ""}};
    const std::vector<int> found = columnsNamed(columns, {"price", "time"}, 4);
    CHECK(found == std::vector<int>{2, 0});
    const TableSchema chosen = columnsAt(columns, found);
    REQUIRE(chosen.size() == 2);
    CHECK(chosen[0].name == "price");
    CHECK(chosen[1].type == Type::Timestamp);
    CHECK_THROWS_WITH(columnsNamed(columns, {"qty"}, 4), Catch::Contains("qty"));
}
