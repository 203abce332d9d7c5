// Sub-queries that name columns of the rows around them answer as if they ran once for each row.
#include "sql/physical/dependent_join.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() { run("a = table(1 2 3 2 as k, 10 20 30 5 as v)\nb = table(1 1 2 as k, 4 6 20 as w)"); }
    // The column of an answer, as "[1,2]".
    std::string column(const std::string& string) { return toString(answer("exec " + string)); }
    static std::string toString(const Value& value) { return display(value); }
};

}  // namespace

TEST_CASE("scalar sub-queries give the value for each row, and that of no rows where there are none") {
    Bench bench;
    CHECK(bench.column("(select count(*) from b where b.k = a.k) from a") == "[2,1,0,1]");
    CHECK(bench.column("(select max(w) from b where b.k = a.k) from a") == "[6,20,,20]");
    CHECK(bench.column("(select sum(w) + 1 from b where b.k = a.k) from a where k < 3") == "[11,21,21]");
    CHECK(bench.column("(select w from b where b.k = a.k order by w desc limit 1) from a") == "[6,20,,20]");
    CHECK_THROWS_WITH(bench.column("(select w from b where b.k = a.k) from a"), Catch::Contains("more than one row"));
}

TEST_CASE("conditions choose rows by sub-queries of every kind") {
    Bench bench;
    CHECK(bench.column("v from a where exists (select * from b where b.k = a.k)") == "[10,20,5]");
    CHECK(bench.column("v from a where not exists (select * from b where b.k = a.k)") == "[30]");
    CHECK(bench.column("v from a where v in (select w from b where b.k = a.k)") == "[20]");
    CHECK(bench.column("v from a where v > (select max(w) from b where b.k = a.k)") == "[10]");
    CHECK(bench.column("v from a where v > all (select w from b where b.k = a.k)") == "[10,30]");
    CHECK(bench.column("v from a where v > any (select w from b where b.k = a.k)") == "[10]");
    CHECK(bench.column("v from a where v > 5 and (k = 3 or exists (select * from b where b.k = a.k and w < v))") ==
          "[10,30]");
}

TEST_CASE("sub-queries within sub-queries see all rows around them") {
    Bench bench;
    CHECK(bench.column("v from a where exists (select * from b where b.k = a.k and w >= "
                       "(select max(c.w) from b c where c.k = b.k and c.w <= a.v))") == "[10,20]");
}

TEST_CASE("groups have the value that their rows have") {
    Bench bench;
    CHECK(bench.shownAnswer("select sum(v) as s, (select count(*) from b where b.k = a.k) as n from a group by k") ==
          bench.shownAnswer("select sum(v) as s, first(n) as n from (select k, v, (select count(*) from b where b.k = "
                            "a.k) as n from a) group by k"));
}

TEST_CASE("changes of tables in memory see the row that changes") {
    Bench bench;
    bench.run(
        "update a set v = v + (select max(w) from b where b.k = a.k) where exists (select * from b where b.k = a.k)");
    CHECK(bench.column("v from a") == "[16,40,30,25]");
    bench.run("delete from a where not exists (select * from b where b.k = a.k)");
    CHECK(bench.column("k from a") == "[1,2,2]");
}

TEST_CASE("forms that cannot be computed for all rows at once are refused") {
    Bench bench;
    CHECK_THROWS_AS(bench.column("(select w from b where b.k = a.k limit 1, 1) from a"), UserError);
    CHECK_THROWS_AS(bench.column("v from a where exists (select w from b where b.k = a.k union select w from b)"),
                    UserError);
    CHECK_THROWS_AS(bench.column("v from a where v in (select * from b where b.k = a.k)"), UserError);
}
