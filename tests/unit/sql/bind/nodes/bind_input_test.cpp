// Operators of whole columns read the columns that the clauses mention, of the rows that pass all conditions.
#include "sql/bind/nodes/bind_input.h"

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

TEST_CASE("a scan below functions of whole columns has the columns that the query mentions") {
    Bench bench;
    const auto read = [&](const std::string& string) {
        const PlanRef plan = bench.plan(string);
        const auto* scan = findNode<ScanNode>(*plan);
        REQUIRE((scan && scan->columns));
        return *scan->columns;
    };
    CHECK(read("select cumsum(x) from t") == std::vector{1});
    CHECK(read("select cumsum(x) from t where k > 1") == std::vector{1});
    CHECK(read("select cumsum(x) from t where k > avg(k) order by s") == std::vector{0, 1, 2});
    CHECK(read("select rand(1, 3) from t") == std::vector{0});
}

TEST_CASE("conditions that read other rows are filters above the scan, over its columns") {
    Bench bench;
    CHECK(bench.kinds("select cumsum(x) from t where k > 3, k > avg(k)") == "Limit Collect Filter Scan");
    const PlanRef plan = bench.plan("select cumsum(x) from t where k > 3, x > avg(x), s == `a");
    const auto* filter = findNode<FilterNode>(*plan);
    REQUIRE(filter);
    REQUIRE(filter->conditions.size() == 2);
    CHECK(filter->conditions[0].columns() == std::vector{0});
    CHECK(filter->conditions[1].columns() == std::vector{1});
    CHECK(findNode<ScanNode>(*plan)->conditions.size() == 1);
    CHECK(bench.shownAnswer("exec k from t where k > 3, x > avg(x), s == `a") == "[12,15,18]");
}

TEST_CASE("the number of rows that exec asks of partitions is LONG, of groups and of memory INT") {
    Bench bench;
    CHECK(bench.answer("exec count(*) from t").type() == Type::Long);
    CHECK(bench.answer("exec count(*) from m").type() == Type::Int);
    CHECK(bench.columns("exec count(*) from t") == "count LONG");
    CHECK(bench.columns("select count(*) from t") == "count INT");
    CHECK(bench.columns("exec count(*) from t group by s") == "s STRING, count INT");
}
