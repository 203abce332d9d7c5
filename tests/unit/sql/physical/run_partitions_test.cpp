// Statements run partition by partition, and parts of aggregates in all of them.
#include "sql/physical/run_partitions.h"

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

TEST_CASE("map runs the whole statement in each partition that is read") {
    Bench bench;
    CHECK(bench.shownAnswer("exec sum(k) from t map") == "[10,35,60,85]");
    CHECK(bench.shownAnswer("exec sum(k) from t where k >= 10 map") == "[60,85]");
    CHECK(bench.shownAnswer("exec k from t order by k desc limit 1 map") == "[4,9,14,19]");
    CHECK(bench.shownAnswer("exec cumsum(k) from t map") == "[0,1,3,6,10,5,11,18,26,35,10,21,33,46,60,15,31,48,66,85]");
    CHECK(bench.answer("select sum(x) over (order by k) as n from t map").table().rowCount() == 20);
    CHECK(bench.shownAnswer(
              "exec n from (select last(sum) as n from (select sum(k) over (partition by s) as sum from t map))") ==
          "[35]");
    CHECK(bench.answer("select k from t where k > 99 map").table().rowCount() == 0);
}

TEST_CASE("declared parts give what the function gives of all rows") {
    Bench bench;
    bench.run("defg most(v) { return max(v) }\ndefg plain(v) { return max(v) }\nmapr most(v) { max(v) -> max }");
    for (const char* tail :
         {" from t", " from t where k > 7", " from t where k > 99", " from t group by s",
          " from t where k > 99 group by s", " from t group by s having sum(x) > 3 order by s desc"}) {
        INFO(tail);
        CHECK(bench.shownAnswer(std::string("select most(k) as n") + tail) ==
              bench.shownAnswer(std::string("select plain(k) as n") + tail));
    }
}
