// Smoothing by local regressions.
#include "stdlib/interpolation/local_regression.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("points on a line stay, wherever they lie") {
    std::vector<double> x, y;
    for (int i = 0; i < 30; ++i) {
        x.push_back(1e9 + i * i);
        y.push_back(3 - 0.25 * i * i);
    }
    const std::vector<double> smoothed = smoothedLocally(x, y, {.bandwidth = 0.3});
    for (size_t i = 0; i < y.size(); ++i) CHECK(smoothed[i] == Approx(y[i]));
}

TEST_CASE("one point far off moves its neighbours little once it is known as such") {
    std::vector<double> x, y;
    for (int i = 0; i < 40; ++i) {
        x.push_back(i);
        y.push_back(2.0 * i + (i % 2 == 0 ? 2 : -2));
    }
    y[20] = 1000;
    const double once = smoothedLocally(x, y, {.bandwidth = 0.4, .iterations = 0})[22],
                 robust = smoothedLocally(x, y, {.bandwidth = 0.4, .iterations = 4})[22];
    CHECK(once > 100);
    CHECK(robust == Approx(44).margin(3));
}

TEST_CASE("the ends count, and two points are a line") {
    CHECK(smoothedLocally({0, 1, 2}, {1, 2, 4}, {.bandwidth = 1}) == std::vector<double>{1, 2, 4});
    CHECK(smoothedLocally({0, 5}, {1, 2}, {.bandwidth = 1}) == std::vector<double>{1, 2});
}
