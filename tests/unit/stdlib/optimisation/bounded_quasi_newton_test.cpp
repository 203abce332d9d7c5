// L-BFGS-B.
#include "stdlib/optimisation/minimizers.h"

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

TEST_CASE("a minimum outside of the bounds is met at a bound") {
    TestContext test;
    const Ref<Function> f = functionOfPoint(valley);
    Objective objective(test.context, *f, false);
    const Minimum found = minimizeBounded(objective, {0, 0}, {.low = {-2, -2}, .high = {0.5, 2}});
    CHECK(found.x[0] == Approx(0.5));
    CHECK(found.x[1] == Approx(0.25).margin(1e-3));
    Objective free(test.context, *f, false);
    CHECK(minimizeBounded(free, {-1.2, 1}, {}).x[0] == Approx(1).margin(1e-3));
}

TEST_CASE("a start on a bound that pushes inwards leaves it") {
    TestContext test;
    const Ref<Function> f =
        functionOfPoint([](const std::vector<double>& x) { return (x[0] - 3) * (x[0] - 3) + x[1] * x[1]; });
    Objective objective(test.context, *f, false);
    const Minimum found = minimizeBounded(objective, {0, 5}, {.low = {0, 0}, .high = {10, 5}});
    CHECK(found.x[0] == Approx(3).margin(1e-4));
    CHECK(found.x[1] == Approx(0).margin(1e-6));
}

TEST_CASE("a gradient that is no number ends the search with a warning") {
    TestContext test;
    const Ref<Function> f = functionOfPoint([](const std::vector<double>& x) { return x[0] + x[1]; });
    const Ref<Function> gradient = makeRef<LambdaFunction>([](std::span<Value>) { return numbers({0, null<double>}); });
    Objective objective(test.context, *f, false);
    objective.setGradient(gradient.get());
    CHECK(minimizeBounded(objective, {1, 2}, {}).flag == 2);
}
