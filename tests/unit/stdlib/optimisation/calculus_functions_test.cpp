// Roots, derivatives and integrals.
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a root is found where the sign changes, and only there") {
    const Value f = Value::of(functionOfPoint([](const std::vector<double>& x) { return x[0] * x[0] - 2; }));
    const Value root = called("brentq", {f, Value::ofInt(0), Value::ofInt(2)});
    CHECK(root.at(0).string() == "CONVERGED");
    CHECK(root.at(1).real() == Approx(std::sqrt(2)));
    CHECK(called("brentq", {f, Value::ofInt(2), Value::ofInt(3)}).at(0).string() == "SIGNERR");
}

TEST_CASE("more points make a derivative exact for higher powers") {
    const Value f = Value::of(functionOfPoint([](const std::vector<double>& x) { return x[0] * x[0] * x[0]; }));
    CHECK(called("derivative", {f, Value::ofInt(2), Value::ofDouble(1)}).real() == Approx(13));
    CHECK(called("derivative", {f, Value::ofInt(2), Value::ofDouble(1), Value::ofInt(1), Value::ofInt(5)}).real() ==
          Approx(12));
    CHECK(called("integral", {f, Value::ofInt(0), numbers({1, 2})}).size() == 2);
}
