// Programs as functions of the script.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("programs give the value and the point") {
    const Value linear = called(
        "linprog",
        {numbers({-3, -2}), matrixValue({2, 1, 1, 1}, 2, 2), numbers({10, 8}), {}, {}, {}, numbers({4, null<double>})});
    CHECK(linear.at(0).real() == Approx(-18));
    const Value quadratic = called("quadprog", {matrixValue({2, -2, -2, 6}, 2, 2), numbers({-5, 4})});
    CHECK(quadratic.at(0).real() == Approx(-6.375));
    CHECK(refusal("quadprog", {matrixValue({1, 0, 0, -1}, 2, 2), numbers({1, 1})}).find("positive definite") !=
          std::string::npos);
}

TEST_CASE("a sum of absolute values is bounded by variables of its own") {
    const Value s = called("scs", {numbers({-1, -1}),
                                   {},
                                   {},
                                   {},
                                   {},
                                   {},
                                   Value::ofInt(0),
                                   Value::ofInt(1),
                                   numbers({0.2, 0.2}),
                                   Value::ofDouble(0.5)});
    CHECK(s.at(0).real() == Approx(-0.9).margin(1e-6));
}

TEST_CASE("a program without a solution says so in its answer") {
    const Value s =
        called("osqp", {numbers({1}), {}, matrixValue({1, 1}, 2, 1), numbers({1, null<double>}), numbers({2, 0})});
    CHECK(s.at(0).string() == "primal infeasible");
}

TEST_CASE("programs whose rows would fill the memory are refused before they are built") {
    const std::vector<double> costs(20000, 1.0);
    const Value zero = Value::ofInt(0), one = Value::ofInt(1);
    for (const char* method : {"simplex", "interior-point"}) {
        INFO(method);
        CHECK(refusal("linprog", {numbers(costs), {}, {}, {}, {}, zero, one, text(method)}).find("cells") !=
              std::string::npos);
    }
    CHECK(refusal("scs", {numbers(costs), {}, {}, {}, {}, {}, zero, one}).find("cells") != std::string::npos);
}
