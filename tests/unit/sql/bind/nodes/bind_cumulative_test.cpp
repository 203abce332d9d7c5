// cgroup by is bound to states that are merged in order, or to rows.
#include "sql/bind/nodes/bind_cumulative.h"

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

TEST_CASE("functions decide whether states or rows accumulate") {
    Bench bench;
    CHECK(bench.kinds("select sum(x) from t cgroup by k order by k") == "Limit Sort Cumulative Scan");
    CHECK(bench.kinds("select med(x) from t cgroup by k order by k") == "Limit Sort CumulativeRows Scan");
    CHECK_THROWS_WITH(bench.plan("select sum(x) from t cgroup by k"), Catch::Contains("needs order by"));
}

TEST_CASE("keys are the first columns, and the keys in front of cgroup by accumulate apart") {
    Bench bench;
    CHECK(bench.columns("select sum(x) as n, k from t cgroup by k order by k") == "k INT, n DOUBLE");
    const PlanRef plan = bench.plan("select sum(x) as n from t group by s cgroup by k order by k");
    const auto* node = findNode<CumulativeNode>(*plan);
    REQUIRE(node);
    CHECK(node->order.outerKeys == 1);
    REQUIRE(node->order.keys.size() == 1);
    CHECK(node->order.keys[0].value.plainColumn() == 1);
}
