// Likelihoods of autoregressive moving averages.
#include "stdlib/time_series/arma_likelihood.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace pelorus;

TEST_CASE("the likelihood of an autoregression is that of its first value and its steps") {
    const std::vector<double> y = {1, 0.2, -0.5, 0.3, 0.8};
    const double phi = 0.6;
    double squares = y[0] * y[0] * (1 - phi * phi);
    for (size_t t = 1; t < y.size(); ++t) squares += std::pow(y[t] - phi * y[t - 1], 2);
    const double variance = squares / 5;
    const double wanted = -2.5 * (std::log(2 * M_PI * variance) + 1) + 0.5 * std::log(1 - phi * phi);
    const ArmaLikelihood l = armaLikelihood(y, {}, {{phi}, {}}, [] {});
    REQUIRE(l.exists);
    CHECK(l.logLikelihood == Approx(wanted));
    CHECK(l.variance == Approx(variance));
}

TEST_CASE("a process that grows has none, and free numbers give none that does") {
    CHECK_FALSE(armaLikelihood({1, 2, 3}, {}, {{1.01}, {}}, [] {}).exists);
    const std::vector<double> ar = stationaryCoefficients({5, -8, 3});
    CHECK(armaLikelihood({1, 2, 3, 1}, {}, {ar, {}}, [] {}).exists);
}

TEST_CASE("seasons multiply steps") {
    const ArmaProcess all = seasonalProcess({{0.5}, {0.2}}, {{0.3}, {}}, 4);
    CHECK(all.ar == std::vector<double>{0.5, 0, 0, 0.3, -0.15});
    CHECK(all.ma == std::vector<double>{0.2});
}
