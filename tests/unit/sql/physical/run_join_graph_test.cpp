// Tables that `from` lists are joined by the conditions in `where`, and answer as joins from left to right do.
#include "sql/physical/run_join_graph.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("a = table(1 2 2 3 as k, 10 20 30 40 as v)\nb = table(2 1 2 4 as k, `x`y`z`u as s)\n"
            "c = table(`x`y`z as s, 7 8 9 as n)\nbig = table(take(1..1000, 100000) as k)");
    }
};

}  // namespace

TEST_CASE("comma lists give the rows of inner joins, in the order of the first table") {
    Bench bench;
    CHECK(bench.shownAnswer("select v, n from a, b, c where a.k = b.k and b.s = c.s") ==
          bench.shownAnswer("select v, n from a join b on a.k = b.k join c on b.s = c.s"));
    CHECK(bench.shownAnswer("select v, n from c, b, a where b.s = c.s and a.k = b.k and v > 10") ==
          bench.shownAnswer("select v, n from c join b on b.s = c.s join a on a.k = b.k where v > 10"));
}

TEST_CASE("columns have the names that a cross join gives them") {
    Bench bench;
    const Value all = bench.answer("select * from a, b where a.k = b.k");
    std::string names;
    for (const ColumnSchema& column : all.table().columns()) names += column.name + " ";
    CHECK(names == "k v b_k s ");
}

TEST_CASE("a condition that is no equality may stand after on") {
    Bench bench;
    CHECK(bench.shownAnswer("select v, s from a join b on a.k = b.k and v > 20 and s <> `q where a.k > 0") ==
          bench.shownAnswer("select v, s from a join b on a.k = b.k where v > 20"));
    CHECK(bench.answer("select count(*) from a join b on a.k = b.k and a.v < b.k * 12").size() == 1);
}

TEST_CASE("large tables are joined by their keys instead of being a cross product") {
    Bench bench;
    CHECK(bench.shownAnswer("exec count(*) from big x, big y where x.k = y.k and x.k = 5") == "10000");
    CHECK_THROWS_WITH(bench.answer("select * from big x, big y, big z where x.k = y.k + 1 - 1"),
                      Catch::Contains("rows"));
}

TEST_CASE("aggregates see all rows of the join, with the conditions in front of them") {
    Bench bench;
    CHECK(bench.shownAnswer("select v from a, b where a.k = b.k, v > avg(v)") ==
          bench.shownAnswer("select v from a join b on a.k = b.k where v > avg(v)"));
}

TEST_CASE("a left join may follow, and sees the rows of the graph") {
    Bench bench;
    CHECK(bench.shownAnswer("select v, n from a cross join b left join c on b.s = c.s where a.k = b.k and v > 10") ==
          bench.shownAnswer("select v, n from a join b on a.k = b.k left join c on b.s = c.s where v > 10"));
}
