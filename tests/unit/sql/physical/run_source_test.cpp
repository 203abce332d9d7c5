// What a query reads is computed once, in the order in which it is written, and no more of it than the query needs.
#include "sql/physical/run_source.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..9 as k, 1.5 * 0..9 as x)\nu = table(0..4 as k, 0..4 as y)\n"
            "def made(name) { print(name)\n return table(0..4 as k, 0..4 as y) }");
        request.print = [this](std::string_view string) { printed += string; };
        t = share("t", "m", "k", "0 5 10");
    }
    RowSource source(const std::string& string) { return resolveSource(*query(string), context); }
    Ref<PartitionsInMemory> t;
    std::string printed;
};

}  // namespace

TEST_CASE("calls after from run once, from left to right") {
    Bench bench;
    bench.answer("select a.k, b.y from made(`first) as a join made(`second) as b on a.k = b.k where b.y > 1");
    CHECK(bench.printed == "firstsecond");
    bench.printed.clear();
    bench.answer("select a.*, b.* from ej(made(`left) as a, made(`right) as b, `k)");
    CHECK(bench.printed == "leftright");
}

TEST_CASE("sides of a join are read with the columns and rows that the query needs") {
    Bench bench;
    bench.t->counts.opened = 0;
    const RowSource joined = bench.source("select x from t join u on t.k = u.k where t.k > 7");
    CHECK(bench.t->counts.opened == 1);
    CHECK(joined.columns().size() == 2);  // of x and the key
    bench.t->counts.opened = 0;
    bench.source("select x from ej(t, u, `k) where k < 3");
    CHECK(bench.t->counts.opened == 1);
}

TEST_CASE("a narrowed side keeps its name, by which the columns of the join are told apart") {
    Bench bench;
    const RowSource joined = bench.source("select * from lj(u, t, `k) where u.k > 1");
    CHECK(joined.columns().back().name == "x");
    CHECK(bench.shownAnswer("select t_k from fj(u, t, `k) where t_k > 8") ==
          bench.shownAnswer("select t_k from fj(u, m as t, `k) where t_k > 8"));
}

TEST_CASE("what is no table is refused with what it is") {
    Bench bench;
    bench.run("number = 5");
    CHECK_THROWS_WITH(bench.source("select * from number"), Catch::Contains("but number is"));
    CHECK_THROWS_WITH(bench.source("select * from t join number on t.k = number.k"), Catch::Contains("number"));
    CHECK(tableValue(bench.code("{1: 2}"), bench.context).isDictionary());
}
