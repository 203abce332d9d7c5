#include "sql/rewrite/standard_query.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a query that the binder takes as it is stays the same") {
    QueryBench bench;
    CHECK_FALSE(standardQuery(*bench.query("select k, sum(v) as s from t group by k order by s"), bench.context));
    CHECK_FALSE(standardQuery(*bench.query("select upper(s) as k from t"), bench.context));
}

TEST_CASE("names of the standard, aliases and orders are written as ours") {
    QueryBench bench;
    const auto query =
        standardQuery(*bench.query("select k key, STDDEV_SAMP (v) spread from t group by k order by k"), bench.context);
    REQUIRE(query);
    CHECK(toSource(*query) == "select k as key,std(v) as spread from t group by k order by key asc");
}

TEST_CASE("an item that is computed from a key may have its name") {
    QueryBench bench;
    bench.run("t = table(`abc`abd`xyz as zip)");
    CHECK(bench.shownAnswer("select substr(zip, 0, 2) as zip, count(*) as n from t group by zip order by zip") ==
          "zip n\n--- -\nab  1\nab  1\nxy  1");
    CHECK_THROWS_WITH(bench.answer("select first(zip) as zip from t group by zip"), Catch::Contains("S02001"));
}
