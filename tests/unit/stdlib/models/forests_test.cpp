// Forests and boosting.
#include <catch2/catch.hpp>

#include "tests/unit/stdlib/lambda_function.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {
Value steps() {
    std::vector<double> x, y;
    for (int i = 0; i < 40; ++i) {
        x.push_back(i);
        y.push_back(i < 20 ? 0 : 1);
    }
    return tableOf({"y", "x"}, {y, x});
}
}  // namespace

TEST_CASE("forests and boosted trees learn a step, the same for one seed") {
    const Value seed = Value::ofInt(3), none;
    const std::vector<std::pair<std::string, std::vector<Value>>> kinds = {
        {"randomForestClassifier",
         {steps(), text("y"), text("x"), Value::ofInt(2), none, none, none, none, none, none, seed}},
        {"randomForestRegressor", {steps(), text("y"), text("x"), none, none, none, none, none, none, seed}},
        {"adaBoostClassifier",
         {steps(), text("y"), text("x"), Value::ofInt(2), none, none, none, none, none, none, none, seed}},
        {"adaBoostRegressor", {steps(), text("y"), text("x"), none, none, none, none, none, none, none, seed}}};
    for (const auto& [name, arguments] : kinds) {
        INFO(name);
        const Value model = called(name, arguments), again = called(name, arguments);
        const std::vector<double> seen = elementsOf(called(name + "Predict", {model, tableOf({"x"}, {{2, 37}})}));
        CHECK(seen == std::vector<double>{0, 1});
        CHECK(identical(memberOf(model, "model"), memberOf(again, "model")));
    }
}

TEST_CASE("a class beyond their number is refused") {
    const std::vector<Value> few = {tableOf({"y", "x"}, {{0, 1, 2}, {1, 2, 3}}), text("y"), text("x"), Value::ofInt(2)};
    CHECK(refusal("randomForestClassifier", few).find("from 0 to 1") != std::string::npos);
}

TEST_CASE("bins times classes beyond ten million are refused") {
    CHECK(refusal("randomForestClassifier",
                  {steps(), text("y"), text("x"), Value::ofInt(10000), {}, {}, Value::ofInt(65536)})
              .find("numBins must be at most 1000 for 10000 classes") != std::string::npos);
}
