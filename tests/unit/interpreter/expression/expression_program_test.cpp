// An expression has the same values whether it runs as a program over batches or is called with whole columns.
#include "interpreter/expression/expression_program.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "interpreter/expression/bind.h"
#include "tests/support/script_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

const TableSchema kColumns{{"a", Type::Int}, {"b", Type::Double}, {"lists", Type::Any}};

struct Bench : ScriptBench {
    ExpressionProgram program(std::string_view string) {
        return {bindExpression(code(string), kColumns, context), context};
    }
    std::string shownOver(std::string_view string, std::string_view rows) {
        const ExpressionProgram e = program(string);
        const Ref<MemoryTable> table = tableToRead(run(rows));
        return display(e.evaluate(context, *table));
    }
};

}  // namespace

TEST_CASE("binding always gives an expression, which knows its code and columns") {
    Bench bench;
    for (const char* string : {"b + a * 2", "each(abs, a)", "lists", "cumsum(b)", "a.b", "1 + 2"}) {
        INFO(string);
        const BoundRef bound = bindExpression(bench.code(string), kColumns, bench.context);
        REQUIRE(bound != nullptr);
        REQUIRE(bound->whole != nullptr);
        CHECK(bound->whole->code != nullptr);
        if (bound->plainColumn() < 0) CHECK(bound->whole->columns.size() == bound->whole->names.size());
    }
    CHECK(bindExpression(bench.code("b + a * 2"), kColumns, bench.context)->whole->columns == std::vector<int>{1, 0});
    CHECK(bindExpression(bench.code("each(abs, a)"), kColumns, bench.context)->kind == Bound::Kind::Opaque);
    CHECK(bindExpression(bench.code("lists"), kColumns, bench.context)->plainColumn() == 2);
}

TEST_CASE("programs and called code compute what scripts do") {
    Bench bench;
    const char* rows = "table(1 2 3 as a, 0.5 1.5 2.5 as b)";
    CHECK(bench.program("a + b").isElementwise());
    CHECK(bench.shownOver("a + b", rows) == bench.shown("1 2 3 + 0.5 1.5 2.5"));
    CHECK_FALSE(bench.program("each(abs, a)").isElementwise());
    CHECK(bench.shownOver("each(abs, a)", rows) == bench.shown("each(abs, 1 2 3)"));
    CHECK(bench.shownOver("sum(b) + 1", rows) == bench.shown("sum(0.5 1.5 2.5) + 1"));
    CHECK(bench.shownOver("b", rows) == bench.shown("0.5 1.5 2.5"));
}

TEST_CASE("a copy runs what the original does") {
    Bench bench;
    const ExpressionProgram program = bench.program("a * 10");
    const ExpressionProgram copy = program;  // NOLINT(performance-unnecessary-copy-initialization)
    const Ref<MemoryTable> table = tableToRead(bench.run("table(1 2 3 as a)"));
    CHECK(display(copy.evaluate(bench.context, *table)) == display(program.evaluate(bench.context, *table)));
}
