// Seasons and trends.
#include "stdlib/time_series/seasonal_trend.h"

#include <catch2/catch.hpp>

#include "common/thread/cancellation.h"
#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a season and a line are told apart") {
    std::vector<double> y;
    for (int i = 0; i < 48; ++i) y.push_back(0.5 * i + (i % 4 == 0 ? 3 : -1));
    SeasonalOptions o{.period = 4, .isPeriodic = true};
    o.season = {481, 0, 48};
    o.trend = {7, 1, 1};
    o.lowPass = {5, 1, 1};
    const SeasonalTrend s = decompose(y, o, [] {});
    CHECK(s.season[0] == Approx(3).margin(0.1));
    CHECK(s.season[1] == Approx(-1).margin(0.1));
    CHECK(s.trend[20] == Approx(10).margin(0.1));
}

TEST_CASE("smoothing ends within an iteration when its request is cancelled") {
    const std::vector<double> y = {1, 2, 3, 4, 1, 2, 3, 4};
    const CancellationFlag flag{true};
    const CancellationScope scope(&flag);
    CHECK_THROWS_WITH(decompose(y, {.period = 4}, [] {}), "The task was cancelled.");
}
