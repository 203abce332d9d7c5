// Models of curves: what they predict, and that a damaged one is refused.
#include <catch2/catch.hpp>

#include "runtime/value/dictionary.h"
#include "tests/unit/stdlib/called.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const std::vector<double> kX = {0, 1, 2.5, 4}, kY = {3, -1, 0, 8};

Value modelOf(const std::string& name) {
    std::vector<Value> arguments = {numbers(kX), numbers(kY)};
    if (name == "cubicHermiteSplineFit") arguments.push_back(numbers({0, 1, 2, 3}));
    return called(name, arguments);
}

constexpr const char* kModels[] = {"cubicSpline", "pchipInterpolateFit", "cubicHermiteSplineFit",
                                   "linearInterpolateFit", "kroghInterpolateFit"};

}  // namespace

TEST_CASE("a model predicts its points, NULL for NULL, a scalar for a scalar") {
    for (const std::string name : kModels) {
        INFO(name);
        const Value model = modelOf(name);
        const std::vector<double> predicted = elementsOf(called("predict", {model, numbers(kX)}));
        for (size_t i = 0; i < kX.size(); ++i) CHECK(predicted[i] == Approx(kY[i]).margin(1e-9));
        CHECK(called("predict", {model, Value::ofDouble(1)}).real() == Approx(-1));
        CHECK(called("predict", {model, Value::nullOf(Type::Double)}).isNull());
    }
}

TEST_CASE("beyond its points a model does what it was told") {
    const Value bounded = called("linearInterpolateFit", {numbers(kX), numbers(kY), numbers({-5, 5})});
    CHECK(elementsOf(called("predict", {bounded, numbers({-1, 9})})) == std::vector<double>{-5, 5});
    const Value inside = called("pchipInterpolateFit", {numbers(kX), numbers(kY), Value::ofBool(false)});
    CHECK(called("predict", {inside, Value::ofDouble(9)}).isNull());
}

TEST_CASE("a model that lacks a member, or whose members do not fit, is refused") {
    for (const std::string name : kModels) {
        const Value whole = modelOf(name);
        for (int64_t k = 0; k < whole.dictionary().size(); ++k) {
            const std::string member(whole.dictionary().keyAt(k).string());
            INFO(name << " without " << member);
            if (member == "modelName") continue;
            const Ref<Dictionary> less = whole.dictionary().copy();
            less->erase(Value::ofString(member));
            CHECK(refusal("predict", {Value::of(less), numbers({1})}).find(member) != std::string::npos);
            if (!whole.dictionary().valueAt(k).isVector() && !whole.dictionary().valueAt(k).isMatrix()) continue;
            const Ref<Dictionary> cut = whole.dictionary().copy();
            cut->set(Value::ofString(member), numbers({1}));
            CHECK_FALSE(refusal("predict", {Value::of(cut), numbers({1})}).empty());
        }
    }
    CHECK(refusal("predict", {Value::ofInt(1), numbers({1})}).find("model") != std::string::npos);
}

TEST_CASE("points that do not ascend are refused, unless lines sort them") {
    const Value falling = numbers({3, 2, 1, 0}), y = numbers(kY);
    for (const std::string name : {"cubicSpline", "pchipInterpolateFit", "kroghInterpolateFit"})
        CHECK(refusal(name, {falling, y}).find("must ascend") != std::string::npos);
    CHECK(elementsOf(called("predict", {called("linearInterpolateFit", {falling, y}), numbers({0, 3})})) ==
          std::vector<double>{8, 3});
    CHECK(refusal("linearInterpolateFit", {falling, y, Value(), Value::ofBool(true)}).find("must ascend") !=
          std::string::npos);
    CHECK(refusal("cubicSpline", {numbers(kX), y, Value::ofString("round")}).find("bc_type must be") !=
          std::string::npos);
}
