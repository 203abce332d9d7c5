// stateMavg.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("stateMavg averages a value with its own results before it") {
    const auto mean = [](const std::vector<double>& x, int window) {
        return elementsOf(calledWith("stateMavg", {numbers(x), Value::ofInt(window)}));
    };
    const std::vector<double> three = mean({2, 6, 8, 10}, 3);
    CHECK(three[1] == 6);
    CHECK(three[2] == Approx(16.0 / 3));
    CHECK(three[3] == Approx((6 + 16.0 / 3 + 10) / 3));
    CHECK(mean({2, 6, 8}, 1) == std::vector<double>{2, 6, 8});
    CHECK(mean({2, 6}, 9) == std::vector<double>{2, 6});
    CHECK(mean({}, 2).empty());
    // Longer than a piece.
    std::vector<double> x(10000, 1.0);
    CHECK(mean(x, 5).back() == Approx(1));
    CHECK(refusalWith("stateMavg", {numbers({1}), Value::ofInt(0)}).find("window") != std::string::npos);
    CHECK(refusalWith("stateMavg", {Value::of(Vector::ofStrings({"a"})), Value::ofInt(2)}).find("X") !=
          std::string::npos);
}
