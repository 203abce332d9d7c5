// Calls are known by what their functions declare, whether built in or of a script.
#include "sql/expression/called_functions.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    NodeRef item(const std::string& string) { return query("select " + string + " from t")->items[0].value; }
    bool aggregates(const std::string& string) { return holdsAggregate(*item(string), context); }
    bool readsOthers(const std::string& string) { return readsOtherRows(*item(string), context); }
    std::string called(const std::string& string) {
        const Ref<Function> function = calledFunction(static_cast<const Call&>(*item(string)), context);
        return function ? std::string(function->name()) : "none";
    }
};

}  // namespace

TEST_CASE("aggregates are found inside operators and other calls") {
    Bench bench;
    CHECK(bench.aggregates("sum(x)"));
    CHECK(bench.aggregates("1 + avg(x) * 2"));
    CHECK(bench.aggregates("abs(sum(x))"));
    CHECK(bench.aggregates("iif(max(x) > 1, 1, 2)"));
    CHECK_FALSE(bench.aggregates("abs(x) + 1"));
    CHECK_FALSE(bench.aggregates("prev(x)"));
}

TEST_CASE("functions that depend on the order of rows read other rows, as aggregates do") {
    Bench bench;
    CHECK(bench.readsOthers("prev(x)"));
    CHECK(bench.readsOthers("sum(x)"));
    CHECK_FALSE(bench.readsOthers("abs(x) + y"));
}

TEST_CASE("a call names a built-in, a script's function before it, or none") {
    Bench bench;
    CHECK(bench.called("sum(x)") == "sum");
    CHECK(bench.called("::sum(x)") == "sum");
    CHECK(bench.called("nobodyKnows(x)") == "none");
    bench.run("defg mine(x) { return sum(x) }");
    CHECK(bench.called("mine(x)") == "mine");
    CHECK(bench.aggregates("mine(x)"));
}
