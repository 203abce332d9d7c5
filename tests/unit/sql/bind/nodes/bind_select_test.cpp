// Each form of a select has its node.
#include "sql/bind/nodes/bind_select.h"

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

TEST_CASE("each form of a select has its node") {
    Bench bench;
    CHECK(bench.kinds("select 1 + 1") == "Constants");
    CHECK(bench.kinds("select x from t") == "Limit Project Scan");
    CHECK(bench.kinds("select cumsum(x) from t") == "Limit Collect Scan");
    CHECK(bench.kinds("select x from t order by prev(x)") == "Limit Sort Collect Scan");
    CHECK(bench.kinds("select sum(x) from t") == "Limit Aggregate Scan");
    CHECK(bench.kinds("select prev(x) from t context by s") == "Limit Window Scan");
    CHECK(bench.kinds("select roll(d, 7d), sum(x) from t context by s") == "Limit Roll Scan");
    CHECK(bench.kinds("select sum(x) over (partition by s) from t") == "Over Scan");
    CHECK(bench.kinds("select sum(max(x)) over (order by s) from t group by s") == "Over Limit Aggregate Scan");
    CHECK(bench.kinds("select distinct s from t") == "Limit Distinct Project Scan");
    CHECK(bench.kinds("select x from t limit 3 map") == "PerPartition Limit Project Scan");
    CHECK(bench.kinds("select x from m limit 3 map") == "Limit Project Scan");
}

TEST_CASE("having and csort need a clause that makes groups") {
    Bench bench;
    CHECK_THROWS_WITH(bench.plan("select x from t having x > 1"), Catch::Contains("no clause makes any"));
    CHECK_THROWS_WITH(bench.plan("select x from t pivot by k, s having x > 1"), Catch::Contains("pivot by"));
    CHECK_NOTHROW(bench.plan("select sum(x) from t having sum(x) > 1"));
}
