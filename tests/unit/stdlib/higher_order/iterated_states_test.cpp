#include "stdlib/higher_order/iterated_states.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/called.h"

namespace pelorus::testing {

namespace {

// msum{, 2}
Value sumOfTwo() {
    called("add", {Value::ofInt(1), Value::ofInt(1)});  // fills the registry
    const Ref<Function> msum(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get("msum")));
    return Value::of(Ref<Function>(makeRef<PartialFunction>(msum, std::vector<Value>{omitted(), Value::ofInt(2)})));
}

Value reals(std::vector<double> elements) {
    return Value::of(Vector::of(Type::Double, elements));
}

}  // namespace

TEST_CASE("rows of several groups iterate over the results of their own group") {
    const std::vector<Type> types{Type::Bool, Type::Double, Type::Void};
    const auto states = conditionalStates(types, std::vector<Value>{{}, {}, sumOfTwo()});
    REQUIRE(states);
    states->resize(2);
    const std::vector<int32_t> groups{0, 0, 1, 0, 1};
    const Value holds = Value::of(Vector::of(Type::Bool, std::vector<int8_t>{1, 1, 0, 0, 1}));
    const std::vector<Value> arguments{holds, reals({1, 2, 5, 9, 7}), {}};
    const Value results = states->step(arguments, groups.data(), 5);
    REQUIRE(results.vector().asDouble(1) == 2);
    REQUIRE(results.vector().isNullAt(2));  // the group's first row
    REQUIRE(results.vector().asDouble(3) == 3);
    REQUIRE(results.vector().asDouble(4) == 7);
    const int32_t first = 0;
    states->clear(&first, 1);
    const std::vector<Value> next{Value::of(Vector::of(Type::Bool, std::vector<int8_t>{0})), reals({4}), {}};
    REQUIRE(states->step(next, groups.data(), 1).vector().isNullAt(0));
}

TEST_CASE("linear recursions start with the values that are given") {
    const Value x = reals({1, 2, 3, 4, null<double>, 6}), initial = reals({10, 10, 10, 10, 10, 10});
    const Value results = called("stateIterate", {x, initial, Value::ofInt(2), sumOfTwo(), reals({0.5, 0.5})});
    REQUIRE(results.vector().asDouble(1) == 10);
    REQUIRE(results.vector().asDouble(2) == 11.5);
    REQUIRE(results.vector().asDouble(3) == 12.75);
    REQUIRE(results.vector().isNullAt(4));
    REQUIRE(results.vector().asDouble(5) == 3 + 12.75 / 2);  // NULL is skipped by msum
}

TEST_CASE("functions without states, and ones of other types, make none") {
    const Value known = sumOfTwo();
    const std::vector<Type> whole{Type::Bool, Type::Int, Type::Void};
    const Ref<Function> mean(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get("cumavg")));
    REQUIRE(!conditionalStates(whole, std::vector<Value>{{}, {}, Value::of(mean)}));
    REQUIRE(!conditionalStates(whole, std::vector<Value>{{}, {}, Value::ofInt(3)}));
    REQUIRE(refusal("stateIterate", {reals({1}), reals({1, 2}), Value::ofInt(1), known, reals({1, 1})}) != "");
    REQUIRE(refusal("stateIterate", {reals({1}), reals({1}), Value::ofInt(0), known, reals({1, 1})}) != "");
    REQUIRE(refusal("stateIterate", {reals({1}), reals({1}), Value::ofInt(1), known, reals({1})}) != "");
}

}  // namespace pelorus::testing
