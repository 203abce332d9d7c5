// pivot by is bound over cells: groups where these hold fewer rows.
#include "sql/bind/nodes/bind_pivot.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..19 as k, 1.5 * 0..19 as x, take(`a`b`c, 20) as s, 2024.01.01 + 0..19 as d)");
        share("t", "m", "k", "0 5 10 15 20");
    }
    std::string kinds(const std::string& string) { return kindsOf(*plan(string)); }
    // "s SYMBOL, x DOUBLE"
    std::string columns(const std::string& string) {
        std::string all;
        for (const ColumnSchema& column : plan(string)->schema(context))
            all += (all.empty() ? "" : ", ") + column.name + " " + std::string(typeName(column.type));
        return all;
    }
};

}  // namespace

TEST_CASE("cells are groups, or rows where a function of whole columns makes the values") {
    Bench bench;
    CHECK(bench.kinds("select sum(x) from t pivot by k, s") == "Limit Pivot Aggregate Scan");
    CHECK(bench.kinds("select x from t pivot by k, s") == "Limit Pivot Aggregate Scan");
    CHECK(bench.kinds("select prev(x) + 1 from t pivot by k, s") == "Limit Pivot Collect Scan");
    CHECK(bench.plan("select x from t pivot by k, s")->schema(bench.context).empty());
}

TEST_CASE("keys and values are found among the cells by their numbers") {
    Bench bench;
    const PlanRef grouped = bench.plan("select sum(x), rowSum(max(x)) from t pivot by k, s");
    const auto* node = findNode<PivotNode>(*grouped);
    REQUIRE(node);
    CHECK(node->keyColumns == std::vector{0, 1});
    CHECK(node->items[0].cells == 2);
    CHECK(node->items[1].after.size() == 1);
    const PlanRef rows = bench.plan("select prev(x) + 1 from t pivot by k, s");
    node = findNode<PivotNode>(*rows);
    REQUIRE(node);
    CHECK(node->keyColumns == std::vector{1, 2});
    CHECK(node->items[0].cells == 0);
}

TEST_CASE("clauses that do not go with pivot by are refused before anything is read") {
    Bench bench;
    CHECK_THROWS_WITH(bench.plan("select x from t pivot by s"), Catch::Contains("at least two columns"));
    CHECK_THROWS_WITH(bench.plan("select top 3 x from t pivot by k, s"), Catch::Contains("top and limit"));
}
