// garch, garchPredict.
#include <catch2/catch.hpp>
#include <cmath>

#include "stdlib/time_series/volatility.h"
#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

// Returns a series whose variance rises after large steps.
static std::vector<double> clustered(size_t rows) {
    std::vector<double> y;
    uint32_t state = 7;
    double variance = 1, square = 1;
    for (size_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (int k = 0; k < 12; ++k) {
            state = state * 1664525u + 1013904223u;
            sum += static_cast<double>(state >> 8) / (1 << 24);
        }
        variance = 0.1 + 0.2 * square + 0.7 * variance;
        const double e = (sum - 6) * std::sqrt(variance);
        square = e * e;
        y.push_back(0.5 + e);
    }
    return y;
}

TEST_CASE("garch finds the process that made a series") {
    const Value model = calledWith("garch", {tableOf({"y"}, {clustered(4000)}), text("y"), numbers({1, 1})});
    CHECK(memberOf(model, "returnsConstant").asDouble() == Approx(0.5).margin(0.05));
    CHECK(elementsOf(memberOf(model, "archTerm"))[0] == Approx(0.2).margin(0.06));
    CHECK(elementsOf(memberOf(model, "garchTerm"))[0] == Approx(0.7).margin(0.08));
    CHECK(memberOf(model, "nobs").asLong() == 4000);
    CHECK(memberOf(model, "bic").asDouble() - memberOf(model, "aic").asDouble() == Approx(4 * (std::log(4000.0) - 2)));
    const std::vector<double> ahead = elementsOf(calledWith("garchPredict", {model, Value::ofInt(5000)}));
    CHECK(ahead.size() == 5000);
    CHECK(ahead.back() ==
          Approx(memberOf(model, "volConstant").asDouble() /
                 (1 - elementsOf(memberOf(model, "archTerm"))[0] - elementsOf(memberOf(model, "garchTerm"))[0])));
}

TEST_CASE("garch fits a series in any unit alike") {
    std::vector<double> y = clustered(500), small = y;
    for (double& v : small) v *= 1e-4;
    const auto arch = [](const std::vector<double>& series) {
        return elementsOf(
            memberOf(calledWith("garch", {tableOf({"y"}, {series}), text("y"), numbers({2, 1}), Value::ofInt(500)}),
                     "archTerm"))[0];
    };
    CHECK(arch(small) == Approx(arch(y)).epsilon(1e-4));
}

TEST_CASE("garch refuses what has no variance and orders below 1") {
    const Value flat = tableOf({"y"}, {std::vector<double>(30, 1.5)});
    CHECK(refusalWith("garch", {flat, text("y"), numbers({1, 1})}).find("does not vary") != std::string::npos);
    CHECK(refusalWith("garch", {flat, text("y"), numbers({0, 1})}).find("order") != std::string::npos);
    CHECK(refusalWith("garch", {flat, text("z"), numbers({1, 1})}).find("z") != std::string::npos);
    CHECK(refusalWith("garch", {tableOf({"y"}, {{1, 2, 3, 4}}), text("y"), numbers({1, 1})}).find("too few") !=
          std::string::npos);
    CHECK(refusalWith("garchPredict", {Value::ofInt(1), Value::ofInt(1)}).find("model") != std::string::npos);
}
