// polynomial, polyFit and polyPredict.
#include <catch2/catch.hpp>

#include "runtime/value/dictionary.h"
#include "tests/unit/stdlib/called.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("a fitted polynomial predicts the points that it was made of") {
    const Value x = numbers({-1, 0, 1, 2, 3}), y = numbers({0, 1, 0, -3, -8});
    const Value model = called("polyFit", {x, y, Value::ofInt(2), Value::ofBool(true)});
    REQUIRE(model.isDictionary());
    const std::vector<double> predicted = elementsOf(called("predict", {model, x}));
    for (size_t i = 0; i < predicted.size(); ++i) CHECK(predicted[i] == Approx(elementsOf(y)[i]).margin(1e-9));
    CHECK(called("polynomial", {Value::ofInt(2), Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 3}))})
              .type() == Type::Long);
}

TEST_CASE("polynomials refuse what they cannot use, naming it") {
    const Value x = numbers({1, 2}), y = numbers({1, 2, 3});
    CHECK(refusal("polyFit", {x, y, Value::ofInt(1)}).find("Y has 3 elements for 2 points") != std::string::npos);
    CHECK(refusal("polyFit", {x, x, Value::ofInt(2)}).find("needs 3 points") != std::string::npos);
    CHECK(refusal("polyFit", {x, x, Value::ofInt(-1)}).find("n must be from 0 to 1000") != std::string::npos);
    CHECK(refusal("polyFit", {numbers({1e300, 2e300}), x, Value::ofInt(1)}).empty());
    CHECK(refusal("polyFit", {numbers({1e300, 2e300, 3e300}), y, Value::ofInt(2)}).find("too large") !=
          std::string::npos);
    CHECK(refusal("polyPredict", {numbers({}), x}).find("model must be") != std::string::npos);
    CHECK(refusal("polynomial", {x, numbers({1, null<double>})}).find("coeffs") != std::string::npos);
}
