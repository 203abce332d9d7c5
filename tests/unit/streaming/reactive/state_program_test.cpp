#include "streaming/reactive/state_program.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

TEST_CASE("a program goes on with the rows of each key, and starts anew where it is cleared") {
    const Services& services = testing::wholeProcess().services();
    Request request{Principal::owner()};
    Context context(services, request);
    Session session(services);
    context.session = &session;
    context.scope = &session;
    const Value code = evaluate("<[cumsum(x), x - prev(x)]>", session, context);
    StateProgram program(metricsOf(code, 0, "metrics"), {{"x", Type::Long, 0, ""}}, context);
    REQUIRE(program.resultsOfMetrics() == std::vector<size_t>{1, 1});
    REQUIRE(program.results()[0].type == Type::Long);
    program.resize(2);
    const auto step = [&](std::vector<int64_t> x, std::vector<int32_t> keys) {
        const MemoryTable rows({"x"}, {Value::of(Vector::of(Type::Long, x))});
        return program.step(context, rows, keys.data());
    };
    step({1, 10}, {0, 1});
    REQUIRE(step({2, 3}, {0, 0})[0].vector().asLong(1) == 6);
    const int32_t first = 0;
    program.clear(&first, 1);
    const std::vector<Value> results = step({5, 20}, {0, 1});
    REQUIRE(results[0].vector().asLong(0) == 5);
    REQUIRE(results[1].vector().isNullAt(0));
    REQUIRE(results[1].vector().asLong(1) == 10);
    REQUIRE_THROWS_AS(metricsOf(Value::ofInt(1), 1, "metrics"), UserError);
}

}  // namespace pelorus
