// Decomposition of a query's aggregates: each occurs once, with the remaining expressions over their results.
#include "sql/bind/plan_aggregates.h"

#include <catch2/catch.hpp>

#include "interpreter/expression/expression_program.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/value/vector.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const TableSchema kColumns{{"k", Type::Int},    {"small", Type::Short}, {"long", Type::Long},
                           {"x", Type::Double}, {"s", Type::Symbol},    {"list", Type::Any}};

struct Bench : QueryBench {
    // Whether the select list can be computed from states, with keys called k0, k1 …
    bool takes(const std::string& items, const std::vector<std::string>& keys = {}, const std::string& having = "") {
        plan = AggregatePlan();
        NodeList nodes, keyNodes;
        std::vector<std::string> names;
        const Ref<Query> select = query("select " + items + " from t");
        for (const SelectItem& item : select->items) nodes.push_back(item.value);
        for (const std::string& key : keys) {
            names.push_back("k" + std::to_string(names.size()));
            keyNodes.push_back(code(key));
        }
        return planAggregates(nodes, having.empty() ? NodeRef() : code(having), kColumns, names, keyNodes, context,
                              plan);
    }
    // "sum(x) count(x)"
    std::string calls() const {
        std::string string;
        for (const AggregateCall& call : plan.calls) {
            string += (string.empty() ? "" : " ") + std::string(call.function->name()) + "(";
            for (const ExpressionProgram& argument : call.arguments) string += toSource(*argument.code());
            string += ")";
        }
        return string;
    }

    AggregatePlan plan;
};

}  // namespace

TEST_CASE("equal aggregates are computed once, and the items read their results") {
    Bench bench;
    REQUIRE(bench.takes("sum(x), sum(x) / 2, max(k) - 1", {}, "count(x) > 3"));
    CHECK(bench.calls() == "sum(x) max(k) count(x)");
    REQUIRE(bench.plan.items.size() == 3);
    CHECK(bench.plan.items[0]->kind == NodeKind::Name);
    CHECK(bench.plan.items[1]->kind == NodeKind::Binary);
    CHECK(bench.plan.having->kind == NodeKind::Binary);
    // Results stand under names that no script can write.
    for (const AggregateCall& call : bench.plan.calls) CHECK(call.column.starts_with(' '));
    REQUIRE(bench.takes("sum(x), x.sum(), ::sum(x), sum(x * 1)"));
    CHECK(bench.calls() == "sum(x) sum(x * 1)");
}

TEST_CASE("a key that is selected again is the key's column, as a whole expression") {
    Bench bench;
    REQUIRE(bench.takes("k % 3, sum(x), (k % 3) + 1", {"k % 3"}));
    CHECK(toSource(*bench.plan.items[0]) == "k0");
    CHECK(toSource(*bench.plan.items[2]) == "k0 + 1");
    CHECK(bench.takes("s, sum(x)", {"s"}));
    CHECK_FALSE(bench.takes("k, sum(x)", {"k % 3"}));  // another row may have another one
    CHECK(bench.takes("max(k), sum(x)", {"k % 3"}));
}

TEST_CASE("sums of a column plus constants are one sum and a count, where nothing can overflow") {
    Bench bench;
    REQUIRE(bench.takes("sum(small), sum(small + 1), sum(small + 200)"));
    CHECK(bench.calls() == "sum(small) count(small)");
    REQUIRE(bench.takes("sum(small + 1), count(small)"));
    CHECK(bench.calls() == "sum(small) count(small)");
    REQUIRE(bench.takes("sum(x + 1)"));
    CHECK(bench.calls() == "sum(x + 1)");
    REQUIRE(bench.takes("sum(long + 1)"));
    CHECK(bench.calls() == "sum(long + 1)");
    REQUIRE(bench.takes("sum(small + k)"));
    CHECK(bench.calls() == "sum(small + k)");
    REQUIRE(bench.takes("sum(small + 1.5)"));
    CHECK(bench.calls() == "sum(small + 1.5)");
    REQUIRE(bench.takes("sum(small + 00i)"));
    CHECK(bench.calls() == "sum(small + 00i)");
}

TEST_CASE("what no states give needs the rows of whole groups") {
    Bench bench;
    bench.run("defg own(x) { return sum(x) }\nweights = 1 2 3");
    for (const char* items : {"own(x)", "x", "sum(x) + x", "sum(deltas(x))", "sum(list)", "{x -> sum(x)}(x)",
                              "cumsum(x)", "sum(x * weights)", "sum(x) over (order by k)"}) {
        INFO(items);
        CHECK_FALSE(bench.takes(items));
    }
    for (const char* items : {"sum(x)", "count(*)", "sum(x * 2 + k)", "first(s)", "1 + 1", "avg(iif(k > 1, x, 0))",
                              "sum(x) > 3 and max(k) < 2", "string(sum(x))", "sum(weights)", "nunique(s)"}) {
        INFO(items);
        CHECK(bench.takes(items));
    }
    CHECK_FALSE(bench.takes("sum(x)", {}, "own(x) > 3"));
    CHECK_THROWS_WITH(bench.takes("sum(max(x))", {"k"}), Catch::Contains("S02032"));
}

TEST_CASE("the sum of a variable's items has nothing to do with the rows") {
    Bench bench;
    bench.run("weights = 1 2 3\none = 5");
    REQUIRE(bench.takes("sum(weights), sum(x)"));
    CHECK(bench.calls() == "sum(x)");
    REQUIRE(bench.takes("sum(one)"));
    CHECK(bench.calls() == "sum(5)");  // once for each row
    REQUIRE(bench.takes("count(*)"));
    CHECK(bench.calls() == "count(1)");
}

TEST_CASE("a state is of the type of what it is given") {
    Bench bench;
    REQUIRE(bench.takes("sum(k), sum(x), max(s), first(long), count(x), min(small)"));
    const std::vector<Type> types = {Type::Long, Type::Double, Type::Symbol, Type::Long, Type::Int, Type::Short};
    for (size_t c = 0; c < types.size(); ++c) {
        const std::unique_ptr<GroupedState> state = bench.plan.newState(c);
        state->resize(1);
        INFO(bench.plan.calls[c].function->name() << " of call " << c);
        CHECK(typeName(state->results().type()) == typeName(types[c]));
        CHECK(state->results().size() == 1);
    }
}
