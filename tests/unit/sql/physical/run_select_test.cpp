// Selects run over what their from says, or over a source that is given.
#include "sql/physical/run_select.h"

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

TEST_CASE("a query runs over the source that is given instead of its own") {
    Bench bench;
    const Ref<MemoryTable> rows = rowsOf(bench.run("table(7 8 as k)"));
    const Ref<Query> query = bench.query("select sum(k) as n from t where k > 7");
    CHECK(selectRows(*query, sourceOf(rows), bench.context).rows->column(0).at(0).asLong() == 8);
    CHECK(selectRows(*query, bench.context).rows->column(0).at(0).asLong() == 162);
}

TEST_CASE("conditions of rows and of columns are counted when a query is traced") {
    Bench bench;
    const std::string traced(bench.answer("select [HINT_EXPLAIN] cumsum(x) from t where k > 3, x > avg(x)").string());
    CHECK_THAT(traced, Catch::Contains("\"where\": {\n                \"rows\": 8") || Catch::Contains("\"rows\":8") ||
                           Catch::Contains("\"rows\": 8"));
}
