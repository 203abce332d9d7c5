// Densities and samples.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("cells of a histogram hold the points, the last edge included") {
    const Value h = called("histogram2d", {numbers({0, 1, 2}), numbers({0, 1, 2}), Value::ofInt(2)});
    CHECK(elementsOf(Value::of(memberOf(h, "H").matrix().cells)) == std::vector<double>{1, 0, 0, 2});
    const std::vector<Value> unsorted = {numbers({0, 1}), numbers({0, 1}), numbers({1, 0})};
    CHECK(refusal("histogram2d", unsorted).find("ascend") != std::string::npos);
}

TEST_CASE("a density is the same for a sample in other units") {
    const Value one = called("gaussianKde", {numbers({0, 1, 2, 5})}),
                ten = called("gaussianKde", {numbers({0, 10, 20, 50})});
    const double a = elementsOf(called("gaussianKdePredict", {one, numbers({1.5})}))[0];
    const double b = elementsOf(called("gaussianKdePredict", {ten, numbers({15})}))[0];
    CHECK(a == Approx(10 * b));
}

TEST_CASE("samples follow their mean and covariance") {
    const Value drawn =
        called("multivariateNormal", {numbers({2, -3}), matrixValue({1, 0.5, 0.5, 2}, 2, 2), Value::ofInt(40000)});
    const std::vector<double> x = elementsOf(Value::of(drawn.matrix().column(0))),
                              y = elementsOf(Value::of(drawn.matrix().column(1)));
    double mean = 0, covariance = 0;
    for (const double v : x) mean += v / 40000;
    for (size_t i = 0; i < x.size(); ++i) covariance += (x[i] - 2) * (y[i] + 3) / 40000;
    CHECK(mean == Approx(2).margin(0.05));
    CHECK(covariance == Approx(0.5).margin(0.08));
    CHECK(refusal("multivariateNormal", {numbers({1, 1}), matrixValue({1, 2, 2, 1}, 2, 2), Value::ofInt(1)})
              .find("positive definite") != std::string::npos);
}
