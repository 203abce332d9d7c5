#include "streaming/window/window_metrics.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "streaming/reactive/state_program.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

TEST_CASE("metrics are computed for many windows at once, and are NULL for those without rows") {
    Request request{Principal::owner()};
    Context context(testing::wholeProcess().services(), request);
    Session session(testing::wholeProcess().services());
    context.session = &session;
    context.scope = &session;
    const TableSchema input{{"x", Type::Long, 0, ""}};
    const auto metricsFor = [&](const char* code) {
        return WindowMetrics(metricsOf(evaluate(code, session, context), 0, "metrics"), input, context);
    };
    const WindowMetrics metrics = metricsFor("<[sum(x) * 2, last(x)]>");
    REQUIRE(metrics.results().size() == 2);
    REQUIRE(metrics.results()[0].type == Type::Long);
    const MemoryTable rows({"x"}, {Value::of(Vector::of(Type::Long, std::vector<int64_t>{1, 2, 5}))});
    const std::vector<Value> results = metrics.compute(context, rows, {0, 0, 2}, 3);
    REQUIRE(results[0].vector().asLong(0) == 6);
    REQUIRE(results[0].vector().isNullAt(1));
    REQUIRE(results[1].vector().asLong(2) == 5);
    REQUIRE_THROWS_AS(metricsFor("<x + 1>"), UserError);
    REQUIRE_THROWS_AS(metricsFor("<sum(y)>"), UserError);
}

}  // namespace pelorus
