#include "stdlib/window/running_ranks.h"

#include <catch2/catch.hpp>

#include "tests/unit/stdlib/called.h"

namespace pelorus::testing {

TEST_CASE("constants of a call are read unless one of them is a column") {
    const std::vector<Type> types{Type::Double, Type::Bool, Type::Void};
    REQUIRE(rollingConstants(types, std::vector<Value>{{}, Value::ofBool(true), {}}, 1)->size() == 3);
    REQUIRE(!rollingConstants(types, std::vector<Value>{{}, {}, {}}, 1));
    REQUIRE(!runningRanks(types, std::vector<Value>{{}, {}, {}}));
    REQUIRE(!runningMedians(std::vector<Type>{Type::String}, std::vector<Value>{{}}));
    REQUIRE_THROWS_AS(
        runningPercentiles(std::vector<Type>{Type::Double, Type::Int}, std::vector<Value>{{}, Value::ofInt(101), {}}),
        UserError);
}

TEST_CASE("medians of all rows so far go on group by group, and a cleared group starts anew") {
    const auto states = runningMedians(std::vector<Type>{Type::Double}, std::vector<Value>{{}});
    states->resize(2);
    const std::vector<int32_t> groups{0, 1, 0, 0, 1};
    const auto step = [&](std::vector<double> x) {
        const std::vector<Value> arguments{Value::of(Vector::of(Type::Double, x))};
        return states->step(arguments, groups.data(), std::ssize(x));
    };
    const Value first = step({3, 10, 1, null<double>, 30});
    REQUIRE(first.vector().asDouble(2) == 2);
    REQUIRE(first.vector().asDouble(3) == 2);
    REQUIRE(first.vector().asDouble(4) == 20);
    const int32_t second = 1;
    states->clear(&second, 1);
    REQUIRE(step({7, 50}).vector().asDouble(0) == 3);
    REQUIRE(states->memoryBytes() > 0);
    states->keep(std::vector<int32_t>{1});
    REQUIRE(step({70}).vector().asDouble(0) == 60);
}

TEST_CASE("an infinity equals itself among the ranks of a window") {
    const Value x = Value::of(Vector::of(Type::Double, std::vector<double>{1, INFINITY, INFINITY}));
    const Value most = Value::ofString("max");
    const Value ranks = called("cumrank", {x, Value::ofBool(true), Value::ofBool(true), most});
    REQUIRE(ranks.vector().asLong(2) == 2);
}

}  // namespace pelorus::testing
