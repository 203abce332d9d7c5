// Groups are computed from states where their functions have some, else from their rows.
#include "sql/bind/nodes/bind_groups.h"

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

TEST_CASE("functions decide whether groups are states or rows") {
    Bench bench;
    CHECK(bench.kinds("select sum(x) from t group by s") == "Limit Aggregate Scan");
    CHECK(bench.kinds("select sum(x), count(*) from t") == "Limit Aggregate Scan");
    bench.run("def widest(v) { return max(v) - min(v) }\ndefg own(v) { return v[0] }");
    CHECK(bench.kinds("select own(x) from t group by s") == "Limit WholeGroups Scan");
    CHECK(bench.kinds("select sum(x) from t where x > avg(x) group by s") == "Limit WholeGroups Filter Scan");
}

TEST_CASE("keys that the list does not show come first, others stand where they are written") {
    Bench bench;
    CHECK(bench.columns("select sum(x) as n from t group by s, k") == "s STRING, k INT, n DOUBLE");
    CHECK(bench.columns("select sum(x) as n, s from t group by s") == "n DOUBLE, s STRING");
    CHECK(bench.columns("select {x -> x[0]}(x) as one, s from m group by k, s") == "k INT, one VOID, s STRING");
    const PlanRef plan = bench.plan("select sum(x) / count(x) as n, max(x) from t group by s having count(*) > 1");
    const auto* node = findNode<AggregateNode>(*plan);
    REQUIRE(node);
    CHECK(node->aggregates.calls.size() == 4);
    CHECK(node->items.size() == 3);
    CHECK(node->items[0].value.plainColumn() == 0);
    CHECK(node->items[1].value.columns() == std::vector{2, 1});
    REQUIRE(node->having);
    CHECK(node->having->value.columns() == std::vector{4});
}

TEST_CASE("without rows the columns are those that are told") {
    Bench bench;
    for (const char* list : {"sum(x) as v", "count(distinct k) as v", "avg(k) + 1 as v", "max(s) as v"}) {
        const std::string string = std::string("select ") + list + " from t where k > 100 group by s";
        INFO(string);
        std::string found;
        const Ref<MemoryTable> rows = rowsOf(bench.answer(string));
        for (const ColumnSchema& column : rows->columns())
            found += (found.empty() ? "" : ", ") + column.name + " " + std::string(typeName(column.type));
        CHECK(bench.columns(string) == found);
    }
}
