// Windows become columns that the rest of a select reads; with group by they read the groups.
#include "sql/bind/nodes/bind_over.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/format/to_source.h"
#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    Bench() { run("t = table(1 1 2 2 3 as k, 1 2 1 2 1 as j, 1 2 3 4 5 as v)"); }
    void fails(const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(answer(string), Catch::Contains(told));
    }
};

}  // namespace

TEST_CASE("each window is a column under a name of its own, and the rest of the select reads it") {
    Bench bench;
    const PlanRef plan = bench.plan(
        "select k, v - avg(v) over (partition by k) as d, row_number() over (order by v) from t where v > 1 order by "
        "d");
    REQUIRE(plan->kind == PlanNode::Kind::Over);
    const auto& node = static_cast<const OverNode&>(*plan);
    REQUIRE(node.windows.size() == 2);
    CHECK(node.windows[0].name == " window0");
    CHECK(toSource(*node.windows[0].window->call) == "avg(v)");
    CHECK(node.windows[1].window->orderBy.size() == 1);
    REQUIRE(node.rest->items.size() == 3);
    CHECK(node.rest->items[2].aliases == std::vector<std::string>{"row_number"});
    CHECK(node.rest->items[2].value->kind == NodeKind::Name);
    CHECK_FALSE(node.rest->table);
    CHECK(node.rest->where.empty());  // the input has applied it
    CHECK(node.rest->orderBy.size() == 1);
    CHECK(kindsOf(*plan) == "Over Scan");
}

TEST_CASE("windows over groups read keys and aggregates of the groups") {
    Bench bench;
    CHECK(bench.given("select k, sum(v) as s, rank() over (order by k desc) as r from t group by k") ==
          "1 3 3 | 2 7 2 | 3 5 1 | ");
    CHECK(bench.given("select k, sum(sum(v)) over (order by k) as total from t group by k") == "1 3 | 2 10 | 3 15 | ");
    CHECK(bench.given("select k, lag(sum(v)) over (order by k) as l from t group by k order by k desc limit 2") ==
          "3 7 | 2 3 | ");
    CHECK(bench.given("select k, j, row_number() over (partition by j order by k) as n from t group by k, j") ==
          "1 1 1 | 1 2 1 | 2 1 2 | 2 2 2 | 3 1 3 | ");
    CHECK(
        bench.given("select k, sum(sum(v)) over (order by k) as s from t where v > 1 group by k having count(*) > 1") ==
        "2 7 | ");
    CHECK(kindsOf(*bench.plan("select k, rank() over (order by k) as r from t group by k")) ==
          "Over Limit Aggregate Scan");
    bench.fails("select k, rank() over (order by v) as r from t group by k", "S02045");
    bench.fails("select k, v + sum(sum(v)) over () as r from t group by k", "S02045");
}

TEST_CASE("expressions over groups hold windows, keys and aggregates") {
    Bench bench;
    CHECK(bench.given("select k, 1 + rank() over (order by k desc) as r from t group by k") == "1 4 | 2 3 | 3 2 | ");
    CHECK(bench.given("select k, sum(v) * 12 / sum(sum(v)) over () as share from t group by k") ==
          "1 2 | 2 5 | 3 4 | ");
    CHECK(bench.given("select k, rank() over (order by sum(v) desc, k) as r from t group by k order by r") ==
          "2 1 | 3 2 | 1 3 | ");
    CHECK(bench.given("select k, rank() over (partition by k % 2 order by count(*) desc) as r from t group by k") ==
          "1 1 | 2 1 | 3 2 | ");
}

TEST_CASE("windows go neither with context by nor with pivot by") {
    Bench bench;
    bench.fails("select rank() over (order by v) from t context by k", "S02047");
    bench.fails("select rank() over (order by v) from t pivot by k, j", "S02047");
}
