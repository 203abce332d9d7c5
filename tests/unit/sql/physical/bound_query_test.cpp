// A query that is bound and not run has the columns of its rows.
#include "sql/physical/bound_query.h"

#include <catch2/catch.hpp>

#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a bound query gives a table without rows, with the columns of its rows") {
    PartitionedBench bench;
    bench.run("m = table(0..9 as few, 1.5 * 0..9 as half)");
    const Ref<PartitionsInMemory> t = bench.share("t", "m", "few", "0 5 10");
    const auto bound = [&](const std::string& string) { return boundTable(*bench.query(string), bench.context); };
    t->counts.blocks = 0;
    const Ref<MemoryTable> rows = bound(
        "with w as (select * from t where few > 1) select few, sum(half) as s from (select * from w) group by few");
    CHECK(rows->rowCount() == 0);
    CHECK(rows->columns().size() == 2);
    CHECK(rows->columns()[0].type == Type::Int);
    CHECK(rows->columns()[1].type == Type::Double);
    CHECK(bound("select half from t pivot by few, half")->columnCount() == 0);  // rows decide
    CHECK(t->counts.blocks == 0);
}

TEST_CASE("the plan of a bound query is that of the query") {
    PartitionedBench bench;
    bench.run("t = table(0..9 as k, 0..9 as v)");
    for (const char* string : {"select k from t where v > 3", "select top 3 k from t order by v",
                               "select sum(v) from t group by k", "select distinct k from t limit 4", "select 1 + 1"}) {
        INFO(string);
        CHECK(kindsOf(*boundQuery(*bench.query(string), bench.context).plan) == kindsOf(*bench.plan(string)));
    }
}
