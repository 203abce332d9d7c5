// Prices of options.
#include "stdlib/finance/option_price.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
const OptionTerms kPut{36, 40, 0.06, 0, 0.2, 1, false, false};
}

TEST_CASE("the closed form, finite differences and Heston without its own motion agree") {
    const Greeks closed = blackScholes(kPut), grid = finiteDifferences(kPut, {800, 800, 2});
    CHECK(closed.npv == Approx(3.844308).margin(1e-6));
    CHECK(grid.npv == Approx(closed.npv).margin(1e-3));
    CHECK(grid.delta == Approx(closed.delta).margin(1e-3));
    CHECK(grid.gamma == Approx(closed.gamma).margin(1e-3));
    CHECK(grid.theta == Approx(closed.theta).margin(1e-2));
    CHECK(grid.vega == Approx(closed.vega).margin(1e-1));
    CHECK(heston(kPut, {{HUGE_VAL, 0.04, 1, 0, 1e-4}}) == Approx(closed.npv).margin(1e-4));
    const std::vector<HestonSpan> parts = {{0.3, 0.05, 1, -0.5, 0.3}, {HUGE_VAL, 0.05, 1, -0.5, 0.3}};
    CHECK(heston(kPut, parts) == Approx(heston(kPut, {{HUGE_VAL, 0.05, 1, -0.5, 0.3}})).margin(1e-6));
}

TEST_CASE("an american put is worth more, and a call minus a put is a forward") {
    OptionTerms american = kPut, call = kPut;
    american.isAmerican = true;
    call.isCall = true;
    CHECK(finiteDifferences(american, {800, 800, 2}).npv == Approx(4.48).margin(0.02));
    CHECK(blackScholes(call).npv - blackScholes(kPut).npv == Approx(36 - 40 * std::exp(-0.06)));
}
