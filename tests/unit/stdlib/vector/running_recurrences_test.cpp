#include "stdlib/vector/running_recurrences.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/called.h"

namespace pelorus::testing {

namespace {

std::vector<double> stepped(RollingStates& states, const std::vector<Value>& arguments,
                            const std::vector<int32_t>& groups) {
    const Value result = states.step(arguments, groups.data(), std::ssize(groups));
    std::vector<double> out;
    for (int64_t i = 0; i < result.size(); ++i) out.push_back(result.vector().asDouble(i));
    return out;
}

Value reals(const std::vector<double>& elements) {
    return Value::of(Vector::of(Type::Double, elements));
}

constexpr double kNone = null<double>;

}  // namespace

TEST_CASE("the state before goes on over steps") {
    const auto states = stateBeforeStates(std::vector<Type>{Type::Double}, std::vector<Value>{{}});
    states->resize(2);
    REQUIRE(stepped(*states, {reals({1, 1, 9, 2})}, {0, 0, 1, 0}) == std::vector<double>{kNone, kNone, kNone, 1});
    REQUIRE(stepped(*states, {reals({2, kNone, 3, 8})}, {0, 0, 0, 1}) == std::vector<double>{1, 2, 2, 9});
}

TEST_CASE("bars are counted back to the first row, also those of steps before") {
    const auto states =
        sumbarsStates(std::vector<Type>{Type::Double, Type::Int}, std::vector<Value>{{}, Value::ofInt(6)});
    states->resize(1);
    REQUIRE(stepped(*states, {reals({1, 2, 3})}, {0, 0, 0}) == std::vector<double>{0, 0, 3});
    REQUIRE(stepped(*states, {reals({-5, 9})}, {0, 0}) == std::vector<double>{0, 1});
    REQUIRE(stepped(*states, {reals({1})}, {0}) == std::vector<double>{2});
}

TEST_CASE("a recurrence of integers gives LONG and goes on") {
    const std::vector<Type> types{Type::Int, Type::Int, Type::Int};
    const Value one = Value::ofInt(1);
    const auto states = recurrenceStates(types, std::vector<Value>{one, one, {}});
    states->resize(1);
    const std::vector<Value> input{one, one, Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2}))};
    REQUIRE(stepped(*states, input, {0, 0}) == std::vector<double>{2, 4});
    REQUIRE(stepped(*states, input, {0, 0}) == std::vector<double>{5, 7});
    REQUIRE(!recurrenceStates(types, std::vector<Value>{one, one, Value::ofInt(4)}));
}

}  // namespace pelorus::testing
