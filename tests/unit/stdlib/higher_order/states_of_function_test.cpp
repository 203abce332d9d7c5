#include "stdlib/higher_order/states_of_function.h"

#include <catch2/catch.hpp>

#include "runtime/value/array_vector.h"
#include "tests/unit/stdlib/called.h"

namespace pelorus::testing {

namespace {

Value named(const char* name) {
    called("add", {Value::ofInt(1), Value::ofInt(1)});  // fills the registry
    return Value::of(Ref<Function>(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get(name))));
}

Value reals(std::vector<double> elements) {
    return Value::of(Vector::of(Type::Double, elements));
}

}  // namespace

TEST_CASE("a function that goes on has states, and others have none") {
    REQUIRE(statesOfFunction(named("cumsum"), Type::Int).gives == Type::Long);
    REQUIRE(!statesOfFunction(named("next"), Type::Int).states);
    REQUIRE(!statesOfFunction(named("accumulate"), Type::Int).states);
    REQUIRE(!statesOfFunction(Value::ofInt(1), Type::Int).states);
}

TEST_CASE("a group starts anew with each segment, also in the middle of a step") {
    const std::vector<Type> types{Type::Void, Type::Double, Type::Int};
    const auto states = segmentStates(types, std::vector<Value>{named("cumsum"), {}, {}});
    REQUIRE(states);
    states->resize(2);
    const std::vector<int32_t> groups{0, 1, 0, 0, 1};
    const std::vector<Value> arguments{
        {}, reals({1, 10, 2, 3, 20}), Value::of(Vector::of(Type::Int, std::vector<int32_t>{7, 7, 7, 8, 7}))};
    const Value first = states->step(arguments, groups.data(), 5);
    REQUIRE(first.vector().asDouble(2) == 3);
    REQUIRE(first.vector().asDouble(3) == 3);
    REQUIRE(first.vector().asDouble(4) == 30);
    const Value second = states->step(arguments, groups.data(), 5);
    REQUIRE(second.vector().asDouble(0) == 1);
    REQUIRE(second.vector().asDouble(1) == 40);
}

TEST_CASE("each place of the rows goes on by itself, and kept groups go on with theirs") {
    const std::vector<Type> types{Type::Void, arrayTypeOf(Type::Double), Type::Void};
    const auto states = columnwiseStates(types, std::vector<Value>{named("cumsum"), {}, {}});
    REQUIRE(states);
    states->resize(2);
    auto rows = makeRef<ArrayVector>(Type::Double);
    rows->appendRow(reals({1, 2}).vector());
    rows->appendRow(reals({10, 20, 30}).vector());
    const std::vector<int32_t> groups{0, 1};
    const std::vector<Value> arguments{{}, Value::of(rows), {}};
    states->step(arguments, groups.data(), 2);
    states->keep(std::vector<int32_t>{1});
    auto next = makeRef<ArrayVector>(Type::Double);
    next->appendRow(reals({1, 2, 3}).vector());
    const std::vector<Value> more{{}, Value::of(next), {}};
    const Value result = states->step(more, groups.data(), 1);
    REQUIRE(result.arrayVector().values()->asDouble(0) == 11);
    REQUIRE(result.arrayVector().values()->asDouble(2) == 33);
}

}  // namespace pelorus::testing
