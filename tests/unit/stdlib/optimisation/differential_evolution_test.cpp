// Differential evolution.
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

TEST_CASE("a seed decides the population, and the minimum is found") {
    TestContext test;
    const Ref<Function> f = functionOfPoint(valley);
    const auto found = [&](uint64_t seed) {
        Objective objective(test.context, *f, false);
        std::mt19937_64 random(seed);
        return minimizeByEvolution(objective, {.low = {-2, -2}, .high = {2, 2}}, random);
    };
    CHECK(found(1).x[0] == Approx(1).margin(1e-3));
    CHECK(found(7).x == found(7).x);
}
