#include "streaming/reactive/state_compiler.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

namespace {

// Returns the steps of a metric over the DOUBLE columns x and y.
std::vector<std::string> stepsOf(const std::string& metric) {
    const Services& services = testing::wholeProcess().services();
    Request request{Principal::owner()};
    Context context(services, request);
    Session session(services);
    context.session = &session;
    context.scope = &session;
    const Value code = evaluate("<" + metric + ">", session, context);
    StateCompiler compiler({{"x", Type::Double, 0, ""}, {"y", Type::Double, 0, ""}}, context);
    compiler.add(code.as<Code>()->node);
    std::vector<std::string> steps;
    for (const auto& step : compiler.takeSteps()) steps.push_back(step->describe());
    return steps;
}

}  // namespace

TEST_CASE("equal parts of a metric are one step") {
    REQUIRE(stepsOf("x").empty());
    REQUIRE(stepsOf("mavg(x, 3)") == std::vector<std::string>{"roll mavg(x, 3)"});
    REQUIRE(stepsOf("mavg(x, 3) * mavg(x, 3)").size() == 2);
    REQUIRE(stepsOf("mavg(x + y, 3) + cumsum(x + y)").size() == 4);
}

TEST_CASE("a function with a window and no states is called over the rows that it reaches") {
    REQUIRE(stepsOf("mmed(x, 4)") == std::vector<std::string>{"kept 3 rows: mmed(x, 4)"});
    REQUIRE(stepsOf("moving(avg, x, 10)")[0].starts_with("kept 9 rows"));
}

TEST_CASE("what depends on all rows, or on rows to come, has no step") {
    REQUIRE_THROWS_AS(stepsOf("next(x)"), UserError);
    REQUIRE_THROWS_AS(stepsOf("sum(x)"), UserError);
    REQUIRE_THROWS_AS(stepsOf("rank(x)"), UserError);
    REQUIRE_THROWS_AS(stepsOf("sort(x) + y"), UserError);
    REQUIRE_THROWS_AS(stepsOf("mavg(x, size(x))"), UserError);
}

}  // namespace pelorus
