// glm and logisticRegression.
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a Poisson model with a logarithmic link finds its rate") {
    const Value t = tableOf({"y", "x"}, {{1, 2, 4, 8, 16}, {0, 1, 2, 3, 4}});
    const Value model = called("glm", {t, text("y"), text("x"), text("poisson")});
    const double slope = elementsOf(memberOf(model, "coefficients").table().asMemory()->column(0))[0];
    CHECK(slope == Approx(std::log(2)).margin(1e-6));
    CHECK(elementsOf(called("glmPredict", {model, tableOf({"x"}, {{5}})}))[0] == Approx(32).margin(1e-4));
    CHECK(refusal("glm", {tableOf({"y", "x"}, {{0.5, 1, 2}, {1, 2, 4}}), text("y"), text("x"), text("poisson")})
              .find("whole numbers") != std::string::npos);
}

TEST_CASE("logistic regression tells two and more classes apart") {
    const Value t = tableOf({"y", "x"}, {{0, 0, 1, 1, 2, 2}, {0, 1, 10, 11, 30, 31}});
    const Value two = tableOf({"y", "x"}, {{0, 0, 1, 1}, {0, 1, 10, 11}});
    const Value model = called("logisticRegression", {two, text("y"), text("x")});
    const Value classes = called("logisticRegressionPredict", {model, tableOf({"x"}, {{0.5, 12}})});
    CHECK(classes.vector().data<int32_t>()[0] == 0);
    CHECK(classes.vector().data<int32_t>()[1] == 1);
    CHECK(refusal("logisticRegression", {t, text("y"), text("x")}).find("from 0 to 1") != std::string::npos);
    const Value three = called("logisticRegression", {t, text("y"), text("x"), {}, {}, {}, {}, {}, Value::ofInt(3)});
    CHECK(memberOf(three, "coefficients").matrix().rows == 3);
}
