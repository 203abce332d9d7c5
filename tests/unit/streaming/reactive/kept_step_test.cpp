#include <catch2/catch.hpp>

#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/registry/time_reach.h"
#include "runtime/value/vector.h"
#include "streaming/reactive/state_step.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

TEST_CASE("a kept step gives each key the windows of its own rows, however they come") {
    Request request{Principal::owner()};
    Context context(testing::wholeProcess().services(), request);
    const Ref<Function> function(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get("mmed")));
    StepArgument column{.columns = {0}}, window{.constant = Value::ofInt(2)};
    const auto step = makeKeptStep(function, 1, {column, window}, "mmed(x, 2)");
    StepColumns types{Value::of(Vector::make(Type::Double, 0))};
    step->run(context, types, nullptr, 0);
    REQUIRE(columnType(types[1]) == Type::Double);
    step->resize(2);
    const auto run = [&](std::vector<double> x, std::vector<int32_t> keys) {
        StepColumns columns{Value::of(Vector::of(Type::Double, x))};
        step->run(context, columns, keys.data(), static_cast<int64_t>(keys.size()));
        return columns[1];
    };
    REQUIRE(run({1, 10, 3}, {0, 1, 0}).vector().asDouble(2) == 2);
    const Value next = run({20, 5}, {1, 0});
    REQUIRE(next.vector().asDouble(0) == 15);
    REQUIRE(next.vector().asDouble(1) == 4);
    REQUIRE(step->describe() == "kept 1 rows: mmed(x, 2)");
}

TEST_CASE("a kept step of a window in time keeps as many rows as the window has") {
    Request request{Principal::owner()};
    Context context(testing::wholeProcess().services(), request);
    const Ref<Function> function(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get("tmfirst")));
    StepArgument times{.columns = {0}}, column{.columns = {1}}, window{.constant = Value::ofInt(10)};
    const int64_t reach = reachInTime({.times = 0, .window = 2});
    const auto step = makeKeptStep(function, reach, {times, column, window}, "tmfirst(t, x, 10)");
    StepColumns types{Value::of(Vector::make(Type::Int, 0)), Value::of(Vector::make(Type::Int, 0))};
    step->run(context, types, nullptr, 0);
    step->resize(1);
    const auto run = [&](std::vector<int32_t> t, std::vector<int32_t> x) {
        StepColumns columns{Value::of(Vector::of(Type::Int, t)), Value::of(Vector::of(Type::Int, x))};
        const std::vector<int32_t> keys(t.size());
        step->run(context, columns, keys.data(), static_cast<int64_t>(keys.size()));
        return columns[2].vector().asLong(std::ssize(t) - 1);
    };
    REQUIRE(run({1, 2, 3}, {10, 20, 30}) == 10);
    const int64_t ofThree = step->memoryBytes();
    REQUIRE(run({12}, {40}) == 30);  // (2, 12]
    REQUIRE(run({5}, {50}) == 30);   // counts as 12
    REQUIRE(run({60}, {60}) == 60);
    REQUIRE(step->memoryBytes() < ofThree);
    REQUIRE(step->describe() == "kept rows in time: tmfirst(t, x, 10)");
}

}  // namespace pelorus
