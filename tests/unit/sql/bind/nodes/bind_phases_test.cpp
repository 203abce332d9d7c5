// Aggregates of scripts that declare parts are bound to a plan of a partition and one of the results.
#include "sql/bind/nodes/bind_phases.h"

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

TEST_CASE("declared parts run per partition, others over all rows") {
    Bench bench;
    bench.run("defg most(v) { return max(v) }\nmapr most(v) { max(v) -> max }");
    CHECK(bench.kinds("select most(x) from t group by s") == "Limit Phases Limit Aggregate Scan");
    CHECK(bench.kinds("select most(x) from t") == "Limit Phases Limit Aggregate Scan");
    CHECK(bench.kinds("select most(x) from m group by s") == "Limit WholeGroups Scan");
    CHECK(bench.kinds("select most(x) from t where x > avg(x)") == "Limit Collect Filter Scan");
    const PlanRef plan = bench.plan("select most(x) as n from t group by s");
    const auto* node = findNode<PhasesNode>(*plan);
    REQUIRE(node);
    CHECK(scanOf(*node->reduce)->isGiven);
    CHECK_FALSE(scanOf(*node->whole)->isGiven);
}
