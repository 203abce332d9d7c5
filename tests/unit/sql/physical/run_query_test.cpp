// Selects, their forms, and the queries that they are made of.
#include "sql/physical/run_query.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() { run("t = table(1..4 as k, 5..8 as v)"); }
    Value result(const std::string& string) { return runQuery(*query(string), context); }
};

}  // namespace

TEST_CASE("select gives a table, exec a vector, a cell, or a matrix") {
    Bench bench;
    CHECK(bench.result("select k from t").isTable());
    CHECK(display(bench.result("exec k from t where v > 6")) == "[3,4]");
    CHECK(display(bench.result("exec sum(v) from t")) == "26");
    CHECK(bench.result("exec sum(v) from t having sum(v) > 99").isVector());
    CHECK(bench.result("exec v from t pivot by k, v").isMatrix());
}

TEST_CASE("queries of with see those before them, and unions keep or drop what is twice") {
    Bench bench;
    CHECK(display(bench.result("with a as (select k from t where k > 1), b as (select k from a where k < 4) "
                               "exec k from b")) == "[2,3]");
    CHECK(bench.result("(select k from t) union all (select k from t)").table().rowCount() == 8);
    CHECK(bench.result("(select k from t) union (select k from t)").table().rowCount() == 4);
}

TEST_CASE("a statement that changes rows is no query") {
    Bench bench;
    for (const char* string : {"delete from t", "update t set v = 1", "insert into t values(1, 2)"}) {
        INFO(string);
        CHECK_THROWS_WITH(bench.result(string), Catch::Contains("must be a select or exec"));
    }
    CHECK(bench.shown("t.rows()") == "4");
}

TEST_CASE("an explained query gives its steps, and runs once") {
    Bench bench;
    const std::string steps = display(bench.result("select [HINT_EXPLAIN] k from t where k > 1"));
    CHECK_THAT(steps, Catch::Contains("\"explain\""));
    CHECK_THAT(steps, Catch::Contains("\"from\""));
}
