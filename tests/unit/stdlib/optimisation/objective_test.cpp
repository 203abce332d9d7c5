// Functions that are minimized.
#include "stdlib/optimisation/objective.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
double valley(const std::vector<double>& x) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    return a * a + 100 * b * b;
}
}  // namespace

TEST_CASE("a point is not computed twice, and differences stand for a gradient") {
    TestContext test;
    const Ref<Function> f = functionOfPoint(valley);
    Objective objective(test.context, *f, false);
    CHECK(objective.value({0, 0}) == 1);
    CHECK(objective.value({0, 0}) == 1);
    CHECK(objective.calls() == 1);
    CHECK(objective.gradient({0, 0})[0] == Approx(-2).margin(1e-6));
    CHECK(objective.calls() == 3);
}

TEST_CASE("a function that gives no number is an error, NULL is none") {
    TestContext test;
    const Ref<Function> words = makeRef<LambdaFunction>([](std::span<Value>) { return text("x"); });
    Objective objective(test.context, *words, false);
    CHECK_THROWS_AS(objective.value({1}), UserError);
    const Ref<Function> nothing = makeRef<LambdaFunction>([](std::span<Value>) { return Value(); });
    Objective empty(test.context, *nothing, false);
    CHECK(std::isnan(empty.value({1})));
}
