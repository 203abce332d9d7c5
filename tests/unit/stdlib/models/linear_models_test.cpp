// ridge, lasso, elasticNet.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a model predicts by the columns that it names") {
    const Value t = tableOf({"y", "x"}, {{1, 3, 5, 7}, {0, 1, 2, 3}});
    const Value model = called("ridge", {t, text("y"), text("x"), Value::ofDouble(0)});
    const Value wide = tableOf({"z", "x"}, {{0}, {10}});
    CHECK(elementsOf(called("coordinateDescentPredict", {model, wide}))[0] == Approx(21));
    CHECK(memberOf(model, "modelName").string() == "ridge");
}

TEST_CASE("cross-validation takes the penalty that predicts best") {
    std::vector<double> x, y;
    for (int i = 0; i < 20; ++i) {
        x.push_back(i);
        y.push_back(1 + 2 * i);
    }
    CHECK(memberOf(called("lassoCV", {tableOf({"y", "x"}, {y, x}), text("y"), text("x")}), "alpha").real() == 0.01);
    const std::vector<Value> few = {tableOf({"y", "x"}, {{1, 2}, {1, 2}}), text("y"), text("x")};
    CHECK(refusal("ridgeCV", few).find("Five folds") != std::string::npos);
}

TEST_CASE("NULL is refused unless the input is not checked") {
    const Value t = tableOf({"y", "x"}, {{1, 3, null<double>}, {0, 1, 2}});
    CHECK(refusal("lasso", {t, text("y"), text("x")}).find("NULL") != std::string::npos);
    CHECK(called("lassoBasic", {numbers({1, 3, 5}), numbers({0, 1, 2})}).size() == 2);
}
