// The simplex of Nelder and Mead.
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

TEST_CASE("the simplex finds the end of a valley, and stops where it must") {
    TestContext test;
    const Ref<Function> f = functionOfPoint(valley);
    Objective objective(test.context, *f, false);
    const Minimum found = minimizeNelderMead(objective, {-1, 2}, {});
    CHECK(found.flag == 0);
    CHECK(found.x[0] == Approx(1).margin(1e-3));
    Objective again(test.context, *f, false);
    CHECK(minimizeNelderMead(again, {-1, 2}, {.maxIterations = 5}).flag == 2);
    Objective third(test.context, *f, false);
    CHECK(minimizeNelderMead(third, {-1, 2}, {.maxCalls = 5}).flag == 1);
}
