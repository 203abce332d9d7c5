#include "sql/rewrite/plain_aliases.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

std::string rewritten(QueryBench& bench, const std::string& query) {
    return toSource(*withPlainAliases(*bench.query(query), bench.context));
}

}  // namespace

TEST_CASE("a name behind a column is its name in the result") {
    QueryBench bench;
    CHECK(rewritten(bench, "select a x, b \"two words\" from t") == "select a as x,b as \"two words\" from t");
    CHECK(rewritten(bench, "select sum(v) s from t group by k key") == "select sum(v) as s from t group by k as key");
    CHECK(rewritten(bench, "select a x from t order by 1") == "select a as x from t order by x asc");
}

TEST_CASE("functions and variables are called as before") {
    QueryBench bench;
    bench.run("def twice(x) { return x * 2 }\nlist = 1 2 3");
    CHECK(rewritten(bench, "select twice a, list a, sum v from t") == "select twice(a),list(a),sum v from t");
    bench.run("t = table(1 2 as a)");
    CHECK(bench.shownAnswer("select a x from t") == "x\n-\n1\n2");
    CHECK(bench.shownAnswer("select twice a from t") == "twice_a\n-------\n2      \n4      ");
}
