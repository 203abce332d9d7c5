// A plan that ran tells of each node what it gave and took, and nothing of it changes the result.
#include "sql/physical/executed_plan.h"

#include <catch2/catch.hpp>
#include <regex>

#include "sql/execute.h"
#include "sql/execution/query_profile.h"
#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    Bench() {
        std::mt19937 random(4);
        take(drawnRows(60, random));  // partitions of 13, 1, 26 and 20 rows, in blocks of 5
    }
    // The text without times, which vary.
    std::string analyzed(const std::string& string) {
        return std::regex_replace(analyzedQuery(*query(string), context), std::regex(", [0-9.]+ ms"), "");
    }
};

}  // namespace

TEST_CASE("each node tells its rows, and the scan what it read and left out") {
    Bench bench;
    CHECK_THAT(bench.analyzed("select place from t where place > 13 order by place desc limit 3"),
               Catch::StartsWith("query (3 rows)\n"
                                 "  first 3 by place descending, then for those place (3 rows of about 3)\n"
                                 "    where place > 13 ("));
    CHECK(bench.analyzed("select place from t where place > 13") ==
          "query (46 rows)\n"
          "  project place (46 rows of about 46)\n"
          "    where place > 13 (46 rows of about 46)\n"
          "      scan t (46 rows read, 2 of 4 partitions, 10 of 10 blocks, 184 B)");
    CHECK(bench.analyzed("select count(*) as n from t where place < 3") ==
          "query (1 row)\n"
          "  aggregate count(*) as n (1 row of about 1)\n"
          "    where place < 3 (3 rows of about 13)\n"
          "      scan t (5 rows read, 1 of 4 partitions, 1 of 3 blocks, 20 B)");
    CHECK_THAT(bench.analyzed("select sum(place) as s from m group by few % 2 as odd having count(*) > 100"),
               Catch::Contains("  aggregate sum(place) as s by few % 2 as odd (0 rows of about 6)\n"
                               "    groups where count(*) > 100\n"
                               "    scan m (60 rows read"));
}

TEST_CASE("queries inside, conditions over columns and partitions by themselves are measured too") {
    Bench bench;
    const std::string text = bench.analyzed(
        "with x as (select place from t) select place from x where place > (select avg(place) from t), place > "
        "min(place)");
    CHECK_THAT(text, Catch::Contains("where place > 29.5"));
    CHECK_THAT(text, Catch::Contains("query inside: select avg(place) from t (1 row)"));
    CHECK_THAT(text, Catch::Contains("with x"));
    CHECK_THAT(bench.analyzed("select cumsum(few) as c from t where few > avg(few)"),
               Catch::Contains("among the rows so far ("));
    CHECK_THAT(bench.analyzed("select count(*) as n from t map"),
               Catch::Contains("aggregate count(*) as n (4 rows of about 1, 4 runs)"));
}

TEST_CASE("changes are read and not applied") {
    Bench bench;
    const std::string before = bench.given("select * from m");
    CHECK(bench.analyzed("delete from m where place > 13").find("delete from m where place > 13 (46 rows)\n") == 0);
    CHECK_THAT(bench.analyzed("update m set few = 9 where place > 13"), Catch::Contains("(46 rows)\n"));
    CHECK_THAT(bench.analyzed("insert into m select * from m where place < 4"), Catch::Contains("(4 rows)\n"));
    CHECK(bench.given("select * from m") == before);
}

TEST_CASE("a measured run gives the rows of one that is not") {
    Bench bench;
    for (const char* string :
         {"select place, half from t where half > 1 order by few limit 7", "select distinct few, name from t",
          "select sum(half) as s, med(few) as m from t group by name", "select cumsum(half) as c from t context by few",
          "select sum(half) over (partition by few order by place) as w from t", "select max(half) from t map",
          "select last(half) from t pivot by few, name"}) {
        INFO(string);
        const std::string plain = toString(itemsOfRows(*runPipelines(*bench.plan(string), bench.context).rows));
        const QueryTrace trace;
        const TraceStep step("explain");
        CHECK(toString(itemsOfRows(*runTraced(bench.plan(string), *bench.query(string), bench.context).rows)) == plain);
    }
}
