// BFGS and Newton.
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

TEST_CASE("BFGS and Newton find the end of a valley") {
    TestContext test;
    const Ref<Function> f = functionOfPoint(valley);
    const Ref<Function> slope = makeRef<LambdaFunction>([](std::span<Value> a) {
        const std::vector<double> x = elementsOf(a[0]);
        const double b = x[1] - x[0] * x[0];
        return numbers({-2 * (1 - x[0]) - 400 * x[0] * b, 200 * b});
    });
    const Ref<Function> bend = makeRef<LambdaFunction>([](std::span<Value> a) {
        const std::vector<double> x = elementsOf(a[0]);
        return matrixValue({2 - 400 * (x[1] - 3 * x[0] * x[0]), -400 * x[0], -400 * x[0], 200}, 2, 2);
    });
    Objective objective(test.context, *f, false);
    objective.setGradient(slope.get());
    objective.setHessian(bend.get());
    const Minimum quasi = minimizeBfgs(objective, {-1.2, 1}, {}),
                  newton = minimizeNewton(objective, {-1.2, 1}, {.xTolerance = 1e-8});
    CHECK(quasi.flag == 0);
    CHECK(quasi.x[1] == Approx(1).margin(1e-4));
    CHECK(newton.flag == 0);
    CHECK(newton.x[0] == Approx(1).margin(1e-6));
    CHECK(minimizeBfgs(objective, {-1.2, 1}, {.maxIterations = 2}).flag == 1);
}
