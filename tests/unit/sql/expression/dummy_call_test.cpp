// Calls of names that only a query understands take their arguments by place, by keyword, or as a comparison.
#include "sql/expression/dummy_call.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    NodeRef item(const std::string& string) { return query("select " + string + " from t")->items[0].value; }
    DummyCall call(const std::string& string) { return {*item(string), {"X", "size", "label"}}; }
};

}  // namespace

TEST_CASE("arguments belong to their parameters however they are given") {
    Bench bench;
    for (const char* string : {"roll(ts, 5, `left)", "roll(ts, 5, label=`left)", "roll(X=ts, size=5, label=`left)"}) {
        INFO(string);
        const DummyCall call = bench.call(string);
        CHECK(toSource(*call.node("X")) == "ts");
        CHECK(call.constant("size", bench.context).asLong() == 5);
        CHECK(call.word("label", {"right", "left"}, bench.context) == "left");
    }
}

TEST_CASE("an omitted argument is VOID, and the first of the words") {
    Bench bench;
    const DummyCall call = bench.call("roll(ts)");
    CHECK_FALSE(call.node("size"));
    CHECK(call.constant("size", bench.context).isVoid());
    CHECK(call.word("label", {"right", "left"}, bench.context) == "right");
}

TEST_CASE("arguments without a parameter, and other words, are refused") {
    Bench bench;
    CHECK_THROWS_AS(bench.call("roll(1, 2, 3, 4)"), UserError);
    CHECK_THROWS_AS(bench.call("roll(ts, 5, `middle)").word("label", {"right", "left"}, bench.context), UserError);
}

TEST_CASE("a name is a query's own unless a function has it") {
    Bench bench;
    CHECK(DummyCall::is(*bench.item("roll(ts)"), "roll", bench.context));
    CHECK_FALSE(DummyCall::is(*bench.item("ts"), "roll", bench.context));
    bench.run("def roll(x) { return x }");
    CHECK_FALSE(DummyCall::is(*bench.item("roll(ts)"), "roll", bench.context));
}
