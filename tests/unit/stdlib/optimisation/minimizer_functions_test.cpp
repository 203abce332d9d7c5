// Minimizers as functions of the script.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("every minimizer finds the bottom of a bowl") {
    const Value bowl =
        Value::of(functionOfPoint([](const std::vector<double>& x) { return (x[0] - 1) * (x[0] - 1) + x[1] * x[1]; }));
    for (const char* name : {"fmin", "fminBFGS", "fminLBFGSB", "fminSLSQP"}) {
        const std::vector<double> x = elementsOf(memberOf(called(name, {bowl, numbers({3, -2})}), "xopt"));
        INFO(name);
        CHECK(x[0] == Approx(1).margin(1e-3));
        CHECK(x[1] == Approx(0).margin(1e-3));
    }
    const Value bounds = matrixValue({-3, -3, 3, 3}, 2, 2);
    CHECK(elementsOf(memberOf(called("differentialEvolution", {bowl, bounds}), "xopt"))[0] == Approx(1).margin(1e-3));
    const Value range = tupleOf({Value::ofInt(-2), Value::ofInt(2)}), ranges = tupleOf({range, range});
    CHECK(elementsOf(memberOf(calledWith("brute", {bowl, ranges}), "xopt"))[0] == Approx(1).margin(1e-3));
}

TEST_CASE("options out of their range are refused by name") {
    const Value bowl = Value::of(functionOfPoint([](const std::vector<double>& x) { return x[0] * x[0]; }));
    CHECK(refusal("fmin", {bowl, numbers({1}), Value::ofDouble(-1)}).find("xtol") != std::string::npos);
    CHECK(refusal("fminBFGS", {Value::ofInt(1), numbers({1})}).find("func must be a function") != std::string::npos);
    CHECK(refusal("differentialEvolution", {bowl, matrixValue({2, 1}, 1, 2)}).find("leave nothing") !=
          std::string::npos);
}

TEST_CASE("a population that would fill the memory is refused") {
    const Value bowl = Value::of(functionOfPoint([](const std::vector<double>& x) { return x[0] * x[0]; }));
    std::vector<double> bounds(6000, 1.0);
    std::fill_n(bounds.begin(), 3000, 0.0);
    CHECK(refusal("differentialEvolution", {bowl, matrixValue(bounds, 3000, 2)}).find("10^8 numbers") !=
          std::string::npos);
}
