// Sequential quadratic programs.
#include "stdlib/optimisation/minimizers.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("constraints hold at the minimum") {
    TestContext test;
    const Ref<Function> f = functionOfPoint([](const std::vector<double>& x) { return x[0] * x[0] + x[1] * x[1]; });
    Objective objective(test.context, *f, false);
    const Constraints c{.count = 2,
                        .equalities = 1,
                        .values =
                            [](const Point& x) {
                                return Point{x[0] + x[1] - 2, x[0] - 1.5};
                            },
                        .gradients =
                            [](const Point&) {
                                return Point{1, 1, 1, 0};
                            }};
    const Minimum found = minimizeSequential(objective, {5, 5}, c, {.accuracy = 1e-9});
    CHECK(found.flag == 0);
    CHECK(found.x[0] == Approx(1.5).margin(1e-5));
    CHECK(found.x[1] == Approx(0.5).margin(1e-5));
}

TEST_CASE("constraints that contradict each other end the search") {
    TestContext test;
    const Ref<Function> f = functionOfPoint([](const std::vector<double>& x) { return x[0] * x[0]; });
    Objective objective(test.context, *f, false);
    const Constraints c{.count = 2,
                        .equalities = 0,
                        .values =
                            [](const Point& x) {
                                return Point{x[0] - 1, -1 - x[0]};
                            },
                        .gradients =
                            [](const Point&) {
                                return Point{1, -1};
                            }};
    CHECK(minimizeSequential(objective, {0}, c, {}).flag != 0);
}
