// The likelihood of vector autoregressive moving averages.
#include "stdlib/time_series/vector_arma.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

using namespace pelorus;

static NumberMatrix square(std::vector<double> cells) {
    const auto size = static_cast<size_t>(std::sqrt(static_cast<double>(cells.size())));
    return {.cells = std::move(cells), .rows = size, .columns = size};
}

TEST_CASE("the likelihood of two independent series is that of each by itself") {
    // y_t = 0.5 y_(t-1) + e_t with the variance 4: the first has 4 / (1 - 0.25).
    const std::vector<double> y = {1, -2, 0.5, 3}, z = {0.3, 0.1, -0.7, 0.2};
    const auto normal = [](double x, double variance) {
        return -(std::log(2 * std::numbers::pi * variance) + x * x / variance) / 2;
    };
    double expected = normal(y[0], 4 / 0.75);
    for (size_t t = 1; t < y.size(); ++t) expected += normal(y[t] - 0.5 * y[t - 1], 4);
    for (const double v : z) expected += normal(v, 1);
    VectorArma process{.ar = {square({0.5, 0, 0, 0})}, .root = square({2, 0, 0, 1})};
    const NumberColumns series{.columns = {y, z}, .rows = 4}, none{.columns = {{0, 0, 0, 0}, {0, 0, 0, 0}}, .rows = 4};
    CHECK(logLikelihood(process, series, none, [] {}) == Approx(expected));
    // An ma term whose error is written as an ar of one row back: y_t = e_t + 0.5 e_(t-1) of two rows.
    process = {.ma = {square({0.5, 0, 0, 0})}, .root = square({1, 0, 0, 1})};
    const NumberColumns two{.columns = {{1, -2}, {0, 0}}, .rows = 2}, flat{.columns = {{0, 0}, {0, 0}}, .rows = 2};
    // The covariance of (y_1, y_2) is ((1.25, 0.5), (0.5, 1.25)).
    const double determinant = 1.25 * 1.25 - 0.25, form = (1.25 * 1 + 1.25 * 4 + 2 * 0.5 * 2) / determinant;
    expected = -(2 * std::log(2 * std::numbers::pi) + std::log(determinant) + form) / 2 + 2 * normal(0, 1);
    CHECK(logLikelihood(process, two, flat, [] {}) == Approx(expected));
}

TEST_CASE("errors of measurement add to what is seen, and intercepts move the mean") {
    VectorArma process{.ar = {square({0, 0, 0, 0})}, .root = square({1, 0, 0, 1}), .measurement = {3, 3}};
    const NumberColumns y{.columns = {{2, 5}, {1, 1}}, .rows = 2}, mean{.columns = {{2, 5}, {1, 1}}, .rows = 2};
    // The first row's mean is that of the second's intercept.
    const double squares = 9.0 / 4;
    CHECK(logLikelihood(process, y, mean, [] {}) == Approx(-(4 * std::log(2 * std::numbers::pi * 4) + squares) / 2));
}

TEST_CASE("any matrices give a stationary process, and each stationary one of a step is reached") {
    const NumberColumns y{.columns = {{1, 2, 3}, {3, 1, 2}}, .rows = 3},
        none{.columns = {{0, 0, 0}, {0, 0, 0}}, .rows = 3};
    std::vector<NumberMatrix> free = {square({5, -7, 30, 2}), square({-1, 4, 0.1, 9}), square({100, 0, 3, -50})};
    VectorArma process{.ar = stationaryMatrices(free), .root = square({1, 0, 0, 1})};
    CHECK_FALSE(std::isnan(logLikelihood(process, y, none, [] {})));
    CHECK(std::isnan(logLikelihood({.ar = {square({1.1, 0, 0, 0.2})}, .root = square({1, 0, 0, 1})}, y, none, [] {})));
    // Zero stands for no terms, and one number for its share of one: a / sqrt(1 + a²).
    CHECK(stationaryMatrices({square({0.75})})[0].at(0, 0) == Approx(0.6));
    CHECK(stationaryMatrices({square({0, 0, 0, 0})})[0].cells == std::vector<double>{0, 0, 0, 0});
}
