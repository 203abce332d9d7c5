// States and rows accumulate alike, in the order of the groups.
#include "sql/operators/aggregate/cumulative_rows.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        run("m = table(0..19 as k, 1.5 * 0..19 as x, take(`a`b`c, 20) as s, 2024.01.01 + 0..19 as d)");
        share("t", "m", "k", "0 5 10 15 20");
    }
    std::string kinds(const std::string& string) { return kindsOf(*plan(string)); }
    // "s SYMBOL, x DOUBLE"
    std::string columns(const std::string& string) {
        std::string all;
        for (const ColumnSchema& column : plan(string)->schema(context))
            all += (all.empty() ? "" : ", ") + column.name + " " + std::string(typeName(column.type));
        return all;
    }
};

}  // namespace

TEST_CASE("accumulated states are what the rows of all groups so far give") {
    Bench bench;
    bench.run("defg total(v) { return sum(v) }");
    for (const char* tail :
         {" from t cgroup by k order by k", " from t cgroup by s order by s desc",
          " from t group by s cgroup by k order by k", " from m where k > 3 cgroup by d order by d",
          " from t cgroup by s having count(*) > 7 order by s", " from t where k > 99 cgroup by s order by s"}) {
        INFO(tail);
        CHECK(bench.kinds(std::string("select sum(x) as n") + tail) !=
              bench.kinds(std::string("select total(x) as n") + tail));
        CHECK(bench.shownAnswer(std::string("select sum(x) as n") + tail) ==
              bench.shownAnswer(std::string("select total(x) as n") + tail));
    }
}

TEST_CASE("aggregates of constants count rows, of states and of rows alike") {
    Bench bench;
    bench.run("defg total(v) { return sum(v) }");
    REQUIRE(bench.kinds("select sum(2) as n, total(x) as t from t cgroup by s order by s") ==
            "Limit Sort CumulativeRows Scan");
    CHECK(bench.shownAnswer("select n from (select sum(2) as n, total(x) as t from t cgroup by s order by s)") ==
          bench.shownAnswer("select n from (select sum(2) as n from t cgroup by s order by s)"));
}
