#include "sql/rewrite/function_case.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

std::string rewritten(QueryBench& bench, const std::string& query) {
    return toSource(*withBuiltinsOfAnyCase(*bench.query(query), bench.context));
}

}  // namespace

TEST_CASE("functions are found in any letter case, with and without a blank before the brackets") {
    QueryBench bench;
    CHECK(rewritten(bench, "select AVG(v) as a, Sum (MAX (v)) as b from t where ABS(v) > 1") ==
          "select avg(v) as a,sum(max(v)) as b from t where abs(v) > 1");
}

TEST_CASE("names of the standard are those of our functions") {
    QueryBench bench;
    CHECK(rewritten(bench, "select stddev_samp(v) as a, VAR_POP(v) as b, ceiling(v) as d from t") ==
          "select std(v) as a,varp(v) as b,ceil(v) as d from t");
}

TEST_CASE("names that somebody defined, and unknown ones, stay") {
    QueryBench bench;
    bench.run("def Abs2(x) { return x }\nMax = 3");
    CHECK(rewritten(bench, "select Abs2(v) as a, nobody(v) as b, Max(v) as c from t") ==
          "select Abs2(v) as a,nobody(v) as b,Max(v) as c from t");
}
