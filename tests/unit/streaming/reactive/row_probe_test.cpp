#include "streaming/reactive/row_probe.h"

#include <catch2/catch.hpp>

#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "sql/expression/bind_expression.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

TEST_CASE("what other rows decide is told from what a row decides alone") {
    const Services& services = testing::wholeProcess().services();
    Request request{Principal::owner()};
    Context context(services, request);
    Session session(services);
    context.session = &session;
    context.scope = &session;
    evaluate("def half(x) { return x / 2 }\ndef spread(x) { return x - avg(x) }", session, context);
    const TableSchema columns = {
        {"x", Type::Double, 0, ""}, {"i", Type::Int, 0, ""}, {"s", Type::Symbol, 0, ""}, {"t", Type::Timestamp, 0, ""}};
    const auto mixes = [&](const std::string& code) {
        INFO(code);
        const Value node = evaluate("<" + code + ">", session, context);
        return mixesRows(bindProgram(node.as<Code>()->node, columns, context), columns, context);
    };
    for (const char* code :
         {"rank(x)", "sort(i)", "reverse(s)", "x - avg(x)", "spread(x)", "sum(i)", "zscore(x)", "isDuplicated(i % 2)"})
        CHECK(mixes(code));
    for (const char* code : {"half(x)", "x + i", "log(x)", "upper(s)", "each(half, x)", "iif(x > 1, i, 0)", "string(t)",
                             "rowSum(x, i)", "temporalAdd(t, 1, `d)"})
        CHECK_FALSE(mixes(code));
}

}  // namespace pelorus
