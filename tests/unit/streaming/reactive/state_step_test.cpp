#include "streaming/reactive/state_step.h"

#include <catch2/catch.hpp>

#include "runtime/function/principal.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
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

}  // namespace pelorus
