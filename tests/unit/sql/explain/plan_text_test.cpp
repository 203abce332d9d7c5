// Plans as explain shows them: one line for each step from the last down to the tables, with the columns read.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..1999 as k, 1.5 * 0..1999 as x, string(0..1999) as s)");
        t = share("t", "m", "k", "0 500 1000 1500 2000");
    }
    // The lines behind that of the columns.
    std::string steps(const std::string& string) {
        const std::string all = explained(string);
        return all.substr(all.find('\n') + 1);
    }
    Ref<PartitionsInMemory> t;
};

}  // namespace

TEST_CASE("a plan is shown from its last step to its tables, each deeper than the one before") {
    Bench bench;
    CHECK(bench.explained("select k, x * 2 as twice from t where k > 1200, x < 3000 order by s desc") ==
          "columns: k INT, twice DOUBLE\n"
          "sort by s descending\n"
          "  project k, x * 2 as twice\n"
          "    where k > 1200, x < 3000\n"
          "      scan t: 2 of 4 partitions");
    CHECK(bench.steps("select top 3 k from t order by x nulls last, s") ==
          "first 3 by x with NULLs last, s, then for those k\n"
          "  scan t: 4 of 4 partitions");
    CHECK(bench.steps("select k from m limit 10, 1000") ==
          "limit 1,000 from row 10\n"
          "  project k; ends after 1,010 rows\n"
          "    scan m: 2,000 rows in memory");
    CHECK(bench.steps("select distinct s from t where k == 7") ==
          "distinct rows\n"
          "  project s\n"
          "    where k == 7\n"
          "      scan t: 1 of 4 partitions");
    CHECK(bench.steps("select 1 + 1 as two") == "one row: 1 + 1 as two");
}

TEST_CASE("groups are shown with their keys and conditions, and orders by what they mean") {
    Bench bench;
    CHECK(bench.steps("select sum(x) as total from t group by s having count(*) > 1") ==
          "aggregate sum(x) as total by s\n"
          "  groups where count(*) > 1\n"
          "  scan t: 4 of 4 partitions");
    CHECK(bench.steps("select sum(x) as total from m group by s order by max(k) desc limit 5") ==
          "limit 5\n"
          "  sort by max(k) descending, s\n"
          "    aggregate sum(x) as total by s\n"
          "      scan m: 2,000 rows in memory");
    CHECK(bench.steps("select cumsum(x) as c from m context by s") ==
          "context by s: cumsum(x) as c\n"
          "  scan m: 2,000 rows in memory");
    CHECK(bench.steps("select x from m pivot by k, s") ==
          "pivot by k, s: x\n"
          "  aggregate last(x) by k, s\n"
          "    scan m: 2,000 rows in memory");
    CHECK(bench.steps("select x from m where k > 1, x > avg(x)") ==
          "collect rows, then compute x\n"
          "  where x > avg(x) among the rows so far\n"
          "    where k > 1\n"
          "      scan m: 2,000 rows in memory");
    CHECK(bench.steps("select sum(x) as total from t map") ==
          "in each partition by itself\n"
          "  aggregate sum(x) as total\n"
          "    scan t: 4 of 4 partitions");
    CHECK(bench.steps("select sum(x) as total from t cgroup by k order by k") ==
          "sort by k\n"
          "  cumulative groups by k: sum(x) as total\n"
          "    scan t: 4 of 4 partitions");
}

TEST_CASE("joins, queries in from, unions and with are shown below what reads them") {
    Bench bench;
    CHECK(bench.steps("select k from (select k from t where k < 3) where k > 1") ==
          "project k\n"
          "  where k > 1\n"
          "    project k\n"
          "      where k < 3\n"
          "        scan t: 1 of 4 partitions");
    const std::string joined = bench.steps("select t.k from t inner join m on t.k == m.k where t.k < 3");
    CHECK_THAT(joined, Catch::Contains("join: t with m on t.k == m.k"));
    CHECK_THAT(joined, Catch::Contains("scan m: 2,000 rows in memory"));
    CHECK_THAT(joined, Catch::Contains("      where k < 3\n"
                                       "        scan t: 1 of 4 partitions"));
    CHECK_THAT(bench.steps("select t.x from t left join m on t.k == m.k where t.k >= 1500, m.x > 3"),
               Catch::Contains("      where k >= 1500\n"
                               "        scan t: 1 of 4 partitions"));
    CHECK_THAT(bench.steps("select t.x from t right join m on t.k == m.k where t.k >= 1500"),
               Catch::Contains("scan t: 4 of 4 partitions"));
    CHECK_THAT(bench.steps("select x from ej(t, m, `k) where k > 1200"), Catch::Contains("scan t: 2 of 4 partitions"));
    CHECK_THAT(bench.steps("select k from ej(t, m, `k)"), Catch::Contains("join: ej(t,"));
    CHECK_THAT(bench.steps("(select k from t) union all (select k from m)"), Catch::Contains("union all\n  project k"));
    CHECK_THAT(bench.steps("with w as (select k from t where k < 3) select k from w"),
               Catch::Contains("scan w, see with") && Catch::Contains("with w\n  project k"));
}

TEST_CASE("explain reads no rows and calls nothing that a script could see") {
    Bench bench;
    int printed = 0;
    bench.request.print = [&](std::string_view) { ++printed; };
    bench.run("def told(x) { print(x)\n return x }");
    bench.t->counts.blocks = 0;
    for (const char* string :
         {"select k from t where k > told(3)", "select sum(x) from t group by s order by sum(x) limit 3",
          "select k from t where k in (select max(k) from t)", "select told(k) from t", "select k from ej(t, m, `k)",
          "select k from (select distinct k from t) where exists (select k from t)"}) {
        INFO(string);
        CHECK_FALSE(bench.explained(string).empty());
    }
    CHECK(bench.t->counts.blocks == 0);
    CHECK(printed == 0);
}

TEST_CASE("a change is shown with what it would set, above what it reads") {
    Bench bench;
    CHECK(bench.explained("update t set x = x * 2, k = k + 1 where k < 3") ==
          "update t: x = x * 2, k = k + 1\n"
          "  project x * 2 as x, k + 1 as k\n"
          "    where k < 3\n"
          "      scan t: 1 of 4 partitions");
    CHECK(bench.explained("delete from m where k in (select k from t)") ==
          "delete from m\n"
          "  project k, x, s\n"
          "    where k in (select k from t)\n"
          "      scan m: 2,000 rows in memory");
    CHECK(bench.explained("insert into m values(1, 2.0, \"a\")") == "insert into m: 1 given rows");
    CHECK(bench.explained("insert into m select * from t where k < 3") ==
          "insert into m\n"
          "  project k, x, s\n"
          "    where k < 3\n"
          "      scan t: 1 of 4 partitions");
    CHECK_THAT(bench.explained("update m set x = t.x from m join t on m.k = t.k"),
               Catch::Contains("update m: x = t.x") && Catch::Contains("join: m with t on m.k == t.k"));
    CHECK_THROWS_WITH(bench.explained("delete from nosuch"), Catch::Contains("nosuch"));
    CHECK_THROWS_WITH(bench.explained("update m set x = nosuch"), Catch::Contains("nosuch"));
}
