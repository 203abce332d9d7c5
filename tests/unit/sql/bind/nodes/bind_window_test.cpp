// context by is bound with its keys, order, calls and limit as parts of one node.
#include "sql/bind/nodes/bind_window.h"

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

TEST_CASE("the parts of context by are bound over the columns that it reads") {
    Bench bench;
    const PlanRef plan = bench.plan("select cumsum(x) as n, x from t context by s csort k desc limit -2");
    const auto* node = findNode<WindowNode>(*plan);
    REQUIRE(node);
    CHECK(node->partitionBy[0].value.plainColumn() == 2);
    CHECK(node->orderBy[0].value.plainColumn() == 0);
    CHECK_FALSE(node->orderBy[0].ascending);
    REQUIRE(node->calls.size() == 1);
    CHECK(node->calls[0].function->name() == "cumsum");
    CHECK(node->calls[0].arguments.at(0)->plainColumn() == 1);
    CHECK(node->calls[0].column.type == Type::Double);
    REQUIRE(node->items.size() == 2);
    CHECK(node->items[0].alongGroups->plainColumn() == 3);  // behind k, x and s
    CHECK(node->items[1].whole.value.plainColumn() == 1);
    CHECK(node->limit == -2);
    CHECK(node->output == WindowNode::Output::GroupOrder);
}

TEST_CASE("calls of groups are columns, equal ones one column until its last reader") {
    Bench bench;
    const PlanRef plan = bench.plan(
        "select x - avg(x) as a, cumsum(deltas(x)) as b, avg(x) as c, max(x, k) as d from t context by s having "
        "count(*) > 2");
    const auto* node = findNode<WindowNode>(*plan);
    REQUIRE(node);
    std::string calls;
    for (const WindowCall& call : node->calls)
        calls += std::string(call.function->name()) + " " + std::to_string(call.lastItem) + " | ";
    CHECK(calls == "avg 2 | deltas 1 | cumsum 1 | count 4 | ");
    CHECK(node->items[3].whole.value.isElementwise());
    CHECK_FALSE(node->items[3].alongGroups);
    CHECK(node->having->alongGroups);
}

TEST_CASE("an expression that bounds of groups do not tell apart has no columns of calls") {
    Bench bench;
    bench.run("def own(v) { return v - avg(v) }");
    for (const char* item : {"own(cumsum(x))", "cumsum(own(x))", "sort(x) + sum(x)"}) {
        INFO(item);
        const PlanRef plan = bench.plan("select " + std::string(item) + " as y from t context by s");
        const auto* node = findNode<WindowNode>(*plan);
        REQUIRE(node);
        CHECK(node->calls.empty());
        CHECK_FALSE(node->items[0].alongGroups);
    }
    CHECK_THROWS_AS(bench.plan("select roll(k, 5), sum(x) from t context by s limit 1"), UserError);
}

TEST_CASE("a limit without an order of the groups keeps the rows in their order") {
    Bench bench;
    const PlanRef plan = bench.plan("select x from t context by s having x > 3 limit 1");
    const auto* node = findNode<WindowNode>(*plan);
    REQUIRE(node);
    CHECK(node->output == WindowNode::Output::RowOrder);
    CHECK(node->having.has_value());
    CHECK_THROWS_AS(bench.plan("select top 1:2 x from t context by s"), UserError);
}
