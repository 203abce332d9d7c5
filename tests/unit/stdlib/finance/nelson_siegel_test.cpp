// The formulas of Nelson and Siegel, and of Svensson.
#include "stdlib/finance/nelson_siegel.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace pelorus;

TEST_CASE("yields go from the short end to the long one, with one hump or two") {
    CHECK(nelsonSiegelYield({0.05, -0.02, 0, 1.5}, 0) == Approx(0.03));
    CHECK(nelsonSiegelYield({0.05, -0.02, 0.01, 1.5}, 1e6) == Approx(0.05).margin(1e-6));
    const double f = (1 - std::exp(-2.0)) / 2;
    CHECK(nelsonSiegelYield({0.05, -0.02, 0.01, 1}, 2) == Approx(0.05 - 0.02 * f + 0.01 * (f - std::exp(-2.0))));
    CHECK(nelsonSiegelYield({0.05, -0.02, 0.01, 0, 1, 3}, 2) == Approx(nelsonSiegelYield({0.05, -0.02, 0.01, 1}, 2)));
}
