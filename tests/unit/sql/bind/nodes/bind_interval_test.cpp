// Intervals are bound to groups of the windows, which are given rows.
#include "sql/bind/nodes/bind_interval.h"

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

TEST_CASE("groups of an interval are over the rows that it reads and the number of their window") {
    Bench bench;
    const PlanRef plan = bench.plan("select sum(x) as n, s from t where k > 3 group by s, interval(d, 7d, \"none\")");
    const auto* node = findNode<IntervalNode>(*plan);
    REQUIRE(node);
    CHECK(kindsOf(*node->groups) == "Aggregate Scan");
    CHECK(scanOf(*node->groups)->isGiven);
    CHECK(node->interval == 1);
    CHECK(node->xInSource == 3);
    CHECK(node->conditions.size() == 1);
    CHECK(bench.columns("select sum(x) as n, s from t where k > 3 group by s, interval(d, 7d, \"none\")") ==
          "interval_d DATE, n DOUBLE, s STRING");
    CHECK_THROWS_WITH(bench.plan("select sum(x) from t group by interval(duration=7d)"), Catch::Contains("needs X"));
}

TEST_CASE("functions of whole groups are computed for windows, too") {
    Bench bench;
    bench.run("defg own(v) { return v[0] }");
    CHECK(bench.shownAnswer("exec own(k) as n from t group by interval(d, 10d, \"none\")") ==
          bench.shownAnswer("exec first(k) as n from t group by interval(d, 10d, \"none\")"));
}
