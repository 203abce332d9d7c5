// The simplex method.
#include "stdlib/optimisation/linear_program.h"

#include <limits>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("the simplex method ends in a corner") {
    const LinearSolution s = solveLinear({-3, -2}, {{{2, 1}, 10, false}, {{1, 1}, 8, false}}, {-kInfinity, -kInfinity},
                                         {4, kInfinity}, [] {});
    REQUIRE(s.status == LinearStatus::Optimal);
    CHECK(s.value == Approx(-18));
    CHECK(s.x[1] == Approx(6));
}

TEST_CASE("programs without a solution say why") {
    CHECK(solveLinear({1}, {{{1}, -1, false}}, {0}, {kInfinity}, [] {}).status == LinearStatus::Infeasible);
    CHECK(solveLinear({-1}, {}, {0}, {kInfinity}, [] {}).status == LinearStatus::Unbounded);
    CHECK(solveLinear({1, 1}, {{{1, 1}, 3, true}, {{2, 2}, 6, true}}, {0, 0}, {kInfinity, kInfinity}, [] {}).value ==
          Approx(3));
}
