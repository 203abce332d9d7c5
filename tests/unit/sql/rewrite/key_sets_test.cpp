#include "sql/rewrite/key_sets.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() { run("t = table(`a`a`b`b as s, 1 2 1 2 as m, 10 20 30 40 as v)"); }
    std::string rows(const std::string& query) { return display(answer(query)); }
};

}  // namespace

TEST_CASE("rollup gives the groups of all keys, of fewer keys, and of all rows") {
    Bench bench;
    CHECK(bench.rows("select s, m, sum(v) as total from t group by rollup(s, m)") ==
          bench.rows("select s, m, sum(v) as total from t group by grouping sets ((s, m), (s), ())"));
    CHECK(bench.rows("exec total from (select sum(v) as total from t group by rollup(s))") == "[30,70,100]");
}

TEST_CASE("cube gives every set of keys, and keys beside sets belong to each") {
    Bench bench;
    CHECK(bench.rows("exec total from (select sum(v) as total from t group by cube(s, m))") ==
          "[10,20,30,40,30,70,40,60,100]");
    CHECK(bench.rows("exec total from (select sum(v) as total from t group by s, rollup(m))") == "[10,20,30,40,30,70]");
}

TEST_CASE("grouping tells which keys a set lacks, the last key by the lowest bit") {
    Bench bench;
    CHECK(bench.rows("exec which from (select grouping(s, m) as which from t group by grouping sets ((s), (m), ()))") ==
          "[1,1,2,2,3]");
    CHECK_THROWS_WITH(bench.rows("select grouping(v) from t group by rollup(s)"), Catch::Contains("keys of group by"));
}

TEST_CASE("averages and counts of coarser sets are those of their rows") {
    Bench bench;
    CHECK(bench.rows("select avg(v) as mean, count(*) as n from t where v < 40 group by grouping sets (())") ==
          "mean n\n---- -\n20   3");
    CHECK(bench.rows("exec n from (select count(distinct m) as n from t group by rollup(s))") == "[2,2,2]");
    CHECK(bench.rows("select count(*) as n, sum(v) as total from t where v > 99 group by rollup(s)") ==
          "n total\n- -----\n0      ");
}

TEST_CASE("having, windows, order and limit see the groups of all sets") {
    Bench bench;
    CHECK(bench.rows("select s, sum(v) as total from t group by rollup(s) having sum(v) > 30 order by total desc") ==
          "s total\n- -----\n  100  \nb 70   ");
    CHECK(bench.rows("select s, rank() over (order by sum(v) desc) as place from t group by rollup(s) limit 1") ==
          "s place\n- -----\na 3    ");
}

TEST_CASE("a key of several sets is one column, and all columns have no place") {
    Bench bench;
    CHECK(bench.rows("select s, m, count(*) as n from t where v < 20 group by grouping sets ((s), (m, s))") ==
          "s m n\n- - -\na   1\na 1 1");
    CHECK_THROWS_WITH(bench.rows("select * from t group by rollup(s)"), Catch::Contains("named"));
}

TEST_CASE("constants beside aggregates of any expression are one row, and alone one for each row") {
    Bench bench;
    CHECK(bench.rows("exec s from (select 1 as one, sum(coalesce(v, 0)) as s from t)") == "[100]");
    CHECK(bench.rows("exec one from (select 1 as one from t)") == "[1,1,1,1]");
    CHECK(bench.rows("exec count(*) from (select sum(coalesce(v, 0)) as total from t group by rollup(s))") == "3");
}
