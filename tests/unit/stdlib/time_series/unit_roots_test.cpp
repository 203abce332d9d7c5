// Unit roots.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a series that returns has no unit root, one that wanders has") {
    std::vector<double> returns, wanders = {0};
    uint32_t state = 7;
    for (int i = 0; i < 200; ++i) {
        state = state * 1664525u + 1013904223u;
        const double step = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
        returns.push_back(step);
        wanders.push_back(wanders.back() + step);
    }
    CHECK(memberOf(called("adfuller", {numbers(returns)}), "pValue").real() < 0.01);
    CHECK(memberOf(called("adfuller", {numbers(wanders)}), "pValue").real() > 0.05);
    CHECK(refusal("adfuller", {numbers({1, 1, 1, 1})}).find("differ") != std::string::npos);
    CHECK(refusal("adfuller", {numbers({1, 2, 3, 1}), Value::ofInt(9)}).find("maxLag") != std::string::npos);
}

TEST_CASE("lags whose columns would fill the memory are refused") {
    std::vector<double> saw(40000);
    for (size_t i = 0; i < saw.size(); ++i) saw[i] = static_cast<double>(i % 7);
    CHECK(refusal("adfuller", {numbers(saw), Value::ofInt(19000)}).find("19000 lags of 40000") != std::string::npos);
}
