// Conditional variances.
#include "stdlib/time_series/volatility.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace pelorus;

TEST_CASE("variances follow from squares and variances before them") {
    const Volatility model{.mean = 1, .constant = 0.5, .arch = {0.25}, .garch = {0.5}};
    const std::vector<double> variances = conditionalVariances(model, {3, 0, 1}, 2);
    // 0.5 + 0.25·2 + 0.5·2, then with the squares 4 and 1.
    CHECK(variances == std::vector<double>{2, 2.5, 2});
    const double expected = -(3 * std::log(2 * std::numbers::pi) + std::log(2 * 2.5 * 2) + 4 / 2.0 + 1 / 2.5) / 2;
    CHECK(logLikelihood(model, {3, 0, 1}, 2) == Approx(expected));
    CHECK(std::isnan(logLikelihood({.mean = 0, .constant = 0, .arch = {1}, .garch = {}}, {0, 0}, 1)));
}

TEST_CASE("forecasts go to the variance that the terms leave") {
    const Volatility model{.mean = 0, .constant = 0.2, .arch = {0.3}, .garch = {0.5}};
    int steps = 0;
    const std::vector<double> ahead = forecastVariances(model, {1, 2}, 1, 200, [&] { ++steps; });
    CHECK(ahead.size() == 200);
    CHECK(steps == 200);
    const std::vector<double> variances = conditionalVariances(model, {1, 2}, 1);
    CHECK(ahead[0] == Approx(0.2 + 0.3 * 4 + 0.5 * variances[1]));
    CHECK(ahead[1] == Approx(0.2 + 0.8 * ahead[0]));
    CHECK(ahead.back() == Approx(1));
}

TEST_CASE("what precedes the first row is a weighted mean of the first 75") {
    CHECK(backcast({1, 3}, 1) == Approx(4 * 0.94 / 1.94));
    std::vector<double> y(75, 2.0);
    y.push_back(1e9);
    CHECK(backcast(y, 0) == Approx(4));
}
