#include "sql/rewrite/ordered_items.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("groups are ordered by an item under its own name when its value is written") {
    QueryBench bench;
    const auto ordered = withOrderOfItems(*bench.query("select k as key, sum(v) as s from t group by k order by t.k"));
    REQUIRE(ordered);
    CHECK(toSource(*ordered->orderBy[0].value) == "key");
    const auto total = withOrderOfItems(*bench.query("select sum(v) as s from t group by k order by sum(v) desc"));
    REQUIRE(total);
    CHECK(toSource(*total->orderBy[0].value) == "s");
}

TEST_CASE("names of the result stay, and queries without groups order by their columns") {
    QueryBench bench;
    CHECK_FALSE(withOrderOfItems(*bench.query("select k as v, sum(v) as k from t group by k order by k")));
    CHECK_FALSE(withOrderOfItems(*bench.query("select k as key from t order by k")));
}

TEST_CASE("a column with and without its table is one, and columns of two tables are two") {
    QueryBench bench;
    const auto isSame = [&](const char* a, const char* b) { return isSameColumn(bench.code(a), bench.code(b)); };
    CHECK(isSame("t.k", "k"));
    CHECK_FALSE(isSame("t.k", "u.k"));
    CHECK(isSame("k + 1", "k + 1"));
    CHECK(columnOf(*bench.code("k + 1")).empty());
}
