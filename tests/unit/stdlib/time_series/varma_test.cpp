// varma.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

static Value strings(const std::vector<std::string>& texts) {
    return Value::of(Vector::ofStrings(texts));
}

// Returns two series of y_t = A y_(t-1) + e_t + M e_(t-1).
static std::vector<std::vector<double>> drawnSeries(size_t rows, double ma) {
    uint32_t state = 3;
    const auto draw = [&] {
        double sum = 0;
        for (int k = 0; k < 12; ++k) {
            state = state * 1664525u + 1013904223u;
            sum += static_cast<double>(state >> 8) / (1 << 24);
        }
        return sum - 6;
    };
    std::vector<std::vector<double>> y = {{0}, {0}};
    double before[2] = {0, 0};
    for (size_t i = 1; i < rows; ++i) {
        const double e[2] = {draw(), draw()};
        const double a = y[0].back(), b = y[1].back();
        y[0].push_back(0.6 * a + 0.2 * b + e[0] + ma * before[0]);
        y[1].push_back(-0.3 * a + 0.4 * b + e[1] + ma * before[1]);
        std::copy_n(e, 2, before);
    }
    return y;
}

TEST_CASE("varma finds the terms of an autoregression, whatever the units") {
    std::vector<std::vector<double>> y = drawnSeries(1500, 0);
    for (double& v : y[1]) v *= 1000;
    const Value fit = calledWith("varma", {tableOf({"a", "b"}, y), strings({"a", "b"}), numbers({1, 0})});
    const std::vector<double> params = elementsOf(memberOf(fit, "params"));
    REQUIRE(params.size() == 2 + 4 + 3);
    CHECK(params[2] == Approx(0.6).margin(0.07));
    CHECK(params[3] == Approx(0.0002).margin(0.00007));
    CHECK(params[4] == Approx(-300).margin(70));
    CHECK(params[5] == Approx(0.4).margin(0.07));
    CHECK(params[6] == Approx(1).margin(0.1));
    CHECK(params[8] == Approx(1000).margin(100));
    CHECK(memberOf(fit, "kTrend").asLong() == 1);
}

TEST_CASE("varma finds ma terms, and diagonal errors have a variance each") {
    const Value table = tableOf({"a", "b"}, drawnSeries(1500, 0.5));
    const Value fit = calledWith(
        "varma", {table, strings({"a", "b"}), numbers({1, 1}), Value(), text("n"), text("diagonal"),
                  Value::ofBool(false), Value::ofBool(true), Value::ofBool(true), Value::ofInt(1), Value::ofInt(200)});
    const std::vector<double> params = elementsOf(memberOf(fit, "params"));
    REQUIRE(params.size() == 4 + 4 + 2);
    CHECK(params[0] == Approx(0.6).margin(0.1));
    CHECK(params[4] == Approx(0.5).margin(0.1));
    CHECK(params[9] == Approx(1).margin(0.1));
}

TEST_CASE("varma refuses orders of nothing, series that do not vary and too few rows") {
    const Value table = tableOf({"a", "b"}, {{1, 2, 3, 4}, {1, 1, 1, 1}});
    const Value names = strings({"a", "b"});
    CHECK(refusalWith("varma", {table, names, numbers({1, 0})}).find("does not vary") != std::string::npos);
    const Value short_ = tableOf({"a", "b"}, {{1, 2, 3, 4}, {1, 0, 1, 1}});
    CHECK(refusalWith("varma", {short_, names, numbers({0, 0})}).find("order") != std::string::npos);
    CHECK(refusalWith("varma", {short_, names, numbers({1, 0})}).find("too few") != std::string::npos);
    CHECK(refusalWith("varma", {short_, names, numbers({40, 40})}).find("60") != std::string::npos);
    CHECK(refusalWith("varma", {short_, strings({"a"}), numbers({1, 0})}).find("two names") != std::string::npos);
}
