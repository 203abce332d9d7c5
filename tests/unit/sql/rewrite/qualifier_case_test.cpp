#include "sql/rewrite/qualifier_case.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a table before a column is found in any letter case, and exactly where it is there") {
    QueryBench bench;
    const auto query = withQualifiersAsNamed(*bench.query("select T.v from trades t where T.v > 1"));
    REQUIRE(query);
    CHECK(toSource(*query) == "select t.v from trades as t where t.v > 1");
    CHECK_FALSE(withQualifiersAsNamed(*bench.query("select T.v, t.v from trades t, quotes T where t.v = T.v")));
    CHECK_FALSE(withQualifiersAsNamed(*bench.query("select u.v from trades t")));
}

TEST_CASE("conditions of joins name tables in any case, too") {
    QueryBench bench;
    bench.run("a = table(1 2 as k, 3 4 as v)\nb = table(2 3 as k, 5 6 as w)");
    CHECK(bench.shownAnswer("select X.v, Y.w from a x join b y on X.k = Y.k") == "v w\n- -\n4 5");
}
