// Inner queries are computed once, and replaced by what they give.
#include "sql/physical/run_subqueries.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() {
        run("t = table(1..4 as k, 5..8 as v)\nnone = table(1:0, [`k], [INT])\n"
            "def told(x) { print(x)\n return x }");
        request.print = [this](std::string_view) { ++calls; };
    }
    std::string condition(const std::string& where) {
        const Ref<Query> select = query("select * from t where " + where);
        return toSource(*withSubqueries(*select, run("t").table().columns(), context)->where[0]);
    }
    int calls = 0;
};

}  // namespace

TEST_CASE("a cell is a scalar, a column a vector, exists is whether there are rows") {
    Bench bench;
    CHECK(bench.condition("k > (select max(k) from t where k < 3)") == "k > 2");
    CHECK(bench.condition("k in (select k from t where k < 3)") == "k in [1,2]");
    CHECK(bench.condition("exists(select k from t)") == "true");
    CHECK(bench.condition("exists(select k from none)") == "false");
}

TEST_CASE("comparisons with any and all are those with the smallest or the largest") {
    Bench bench;
    CHECK(bench.condition("v > any (select k from t)") == "v > 1");
    CHECK(bench.condition("v > all (select k from t)") == "v > 4");
    CHECK(bench.condition("v > all (select k from none)") == "true");
    CHECK(bench.condition("v > any (select k from none)") == "false");
    CHECK_THROWS_WITH(bench.condition("v > any (select k, v from t)"), Catch::Contains("one column"));
}

TEST_CASE("an inner query runs once, and not at all when one names a column of the outer") {
    Bench bench;
    bench.answer("select k from t where v > (select max(told(k)) from t)");
    CHECK(bench.calls == 1);
    CHECK_THROWS_AS(bench.condition("k in (select told(k) from t) and exists(select 1 from none where none.k = t.k)"),
                    UserError);
    CHECK(bench.calls == 1);
}
