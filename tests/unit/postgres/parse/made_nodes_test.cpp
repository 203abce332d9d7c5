#include "postgres/parse/made_nodes.h"

#include <catch2/catch.hpp>

#include "postgres/parse/tree.h"

using namespace pelorus::postgres;

TEST_CASE("nodes that are made read as those that are parsed") {
    const nlohmann::json column = columnReference({"t", "a"});
    CHECK(kindOf(column) == "ColumnRef");
    CHECK(namesOf(bodyOf(column)["fields"]) == std::vector<std::string>{"t", "a"});
    const nlohmann::json star = starReference("t");
    CHECK(kindOf(bodyOf(star)["fields"].back()) == "A_Star");
    const nlohmann::json named = selectTarget(column, "x"), unnamed = selectTarget(column);
    CHECK(textOf(bodyOf(named), "name") == "x");
    CHECK(bodyOf(named)["val"] == column);
    CHECK_FALSE(bodyOf(unnamed).contains("name"));
}
