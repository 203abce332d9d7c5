// arima.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("an autoregression finds the weight of the step before, with and without differences") {
    std::vector<double> y = {0}, sums = {0};
    uint32_t state = 11;
    for (int i = 0; i < 400; ++i) {
        state = state * 1664525u + 1013904223u;
        y.push_back(0.7 * y.back() + static_cast<double>(state >> 8) / (1 << 24) - 0.5);
        sums.push_back(sums.back() + y.back());
    }
    const auto weight = [](const std::vector<double>& series, std::vector<double> order, size_t at) {
        const Value fit = called("arima", {tableOf({"y"}, {series}), text("y"), numbers(order)});
        return elementsOf(memberOf(fit, "params"))[at];
    };
    CHECK(weight(y, {1, 0, 0}, 1) == Approx(0.7).margin(0.1));
    CHECK(weight(sums, {1, 1, 0}, 0) == Approx(0.7).margin(0.1));
    CHECK(refusal("arima", {tableOf({"y"}, {{1, 2}}), text("y"), numbers({3, 0, 1})}).find("too few") !=
          std::string::npos);
    CHECK(refusal("arima", {tableOf({"y"}, {{1, 2}}), text("y"), numbers({3, 0})}).find("order must be") !=
          std::string::npos);
}
