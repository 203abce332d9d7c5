// Conditions are taken as filters of a table, as equalities, or as conditions between tables.
#include "sql/bind/join_graph.h"

#include <catch2/catch.hpp>

#include "runtime/format/to_source.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    bool add(const std::string& condition) { return graph.add(conditions(condition)[0], context); }
    std::string filter(size_t side) {
        std::string result;
        for (const NodeRef& filter : graph.filters(side)) result += toSource(*filter) + "; ";
        return result;
    }
    JoinGraph graph{{{"a", {{"k", Type::Int}, {"s", Type::Symbol}}},
                     {"b", {{"k", Type::Int}, {"v", Type::Int}}},
                     {"c", {{"w", Type::Int}}},
                     {"later", {{"z", Type::Int}}}},
                    3};
};

}  // namespace

TEST_CASE("a condition on one table filters it, under the table's own names") {
    Bench bench;
    REQUIRE(bench.add("b.v > 3 and s = 'R'"));
    CHECK(bench.filter(1) == "v > 3; ");
    CHECK(bench.filter(0) == "s == \"R\"; ");
}

TEST_CASE("equalities of columns make sets, one column of each table") {
    Bench bench;
    REQUIRE(bench.add("a.k = b.k"));
    REQUIRE(bench.add("w = b.v"));
    CHECK(bench.graph.equalities().size() == 2);
    REQUIRE(bench.add("a.k = c.w"));
    REQUIRE(bench.graph.equalities().size() == 1);
    CHECK(bench.graph.equalities()[0].size() == 3);
    CHECK(bench.filter(1).find("==") != std::string::npos);  // k and v of b are equal by now
}

TEST_CASE("what all arms of an or share counts for itself, and filters follow from the rest") {
    Bench bench;
    REQUIRE(bench.add("(a.k = b.k and b.v < 3 and s = `x) or (a.k = b.k and b.v > 9 and s = `y)"));
    CHECK(bench.graph.equalities().size() == 1);
    CHECK(bench.graph.conditions().size() == 1);
    CHECK(bench.filter(1) == "v < 3 or v > 9; ");
}

TEST_CASE("other tables, aggregates and conditions without columns are refused, and nothing is taken") {
    Bench bench;
    bench.run("rows = 1..5");
    for (const char* condition : {"a.k = later.z", "b.v > avg(b.v)", "1 = 1", "b.v > rows", "a.k = b.k and z > 1"}) {
        CAPTURE(condition);
        CHECK_FALSE(bench.add(condition));
    }
    CHECK(bench.graph.equalities().empty());
    CHECK(bench.add("b.v in rows"));
}

TEST_CASE("an equality of expressions compares keys, one more column of each side") {
    Bench bench;
    REQUIRE(bench.add("a.k + 1 = b.v * 2"));
    REQUIRE(bench.add("b.v * 2 = c.w"));
    const std::vector<int64_t> rows{10, 20, 30};
    bench.graph.settle(rows, bench.context);
    CHECK(bench.graph.conditions().empty());
    REQUIRE(bench.graph.equalities().size() == 1);
    CHECK(bench.graph.equalities()[0] == std::vector<GraphColumn>{{1, 2}, {2, 0}, {0, 2}});
    REQUIRE(bench.graph.keys(1).size() == 1);
    CHECK(toSource(*bench.graph.keys(1)[0].code) == "v * 2");
    CHECK(bench.graph.columnsWithKeys(1).size() == 3);
    CHECK(bench.graph.columnsWithKeys(2).size() == 1);
}

TEST_CASE("columns of other sides are replaced by equal ones, on the side with the fewest rows") {
    Bench bench;
    REQUIRE(bench.add("(a.k + b.v) % 3 = c.w"));
    REQUIRE(bench.add("a.k + b.v > 5"));
    REQUIRE(bench.add("a.k = b.k"));
    const std::vector<int64_t> rows{10, 20, 30};
    bench.graph.settle(rows, bench.context);
    CHECK(bench.graph.conditions().empty());
    CHECK(bench.filter(1) == "k + v > 5; ");
    REQUIRE(bench.graph.keys(1).size() == 1);
    CHECK(toSource(*bench.graph.keys(1)[0].code) == "(k + v) % 3");
}

TEST_CASE("expressions of other types than whole numbers and of several sides stay conditions") {
    Bench bench;
    for (const char* condition : {"a.k * 1.5 = b.v", "a.k + b.v = c.w", "a.k + 1 > b.v * 2", "a.k + b.v = 7"})
        REQUIRE(bench.add(condition));
    const std::vector<int64_t> rows{10, 20, 30};
    bench.graph.settle(rows, bench.context);
    CHECK(bench.graph.conditions().size() == 4);
    CHECK(bench.graph.equalities().empty());
}
