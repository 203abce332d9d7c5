// Steps along a line.
#include "stdlib/optimisation/line_search.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a step fulfils both of Wolfe's conditions") {
    for (const double first : {1e-3, 0.1, 1.0, 50.0}) {
        const auto at = [](double s) { return LinePoint{(s - 2) * (s - 2), 2 * (s - 2)}; };
        const LineSearch options;
        const LineStep found = searchLine(options, {4, -4}, first, at);
        REQUIRE(found.found);
        CHECK(at(found.step).value <= 4 - options.decrease * found.step * 4);
        CHECK(std::abs(at(found.step).slope) <= options.curvature * 4);
    }
}

TEST_CASE("a line that rises has no step") {
    CHECK_FALSE(searchLine({}, {0, 1}, 1, [](double s) { return LinePoint{s, 1}; }).found);
}
