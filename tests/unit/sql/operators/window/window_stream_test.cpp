// Windows over rows that come piece by piece are those over all rows at once.
#include "sql/operators/window/window_stream.h"

#include <catch2/catch.hpp>

#include "runtime/kernel/index/assemble.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

constexpr int64_t kRows = 60'000;

struct Bench : QueryBench {
    Bench() { run("t = table(long(0..59999) as row, 0..59999 / 3 as at, (0..59999) * 7919 % 101 as v)"); }

    // Returns the column of the window, whose rows come in pieces of so many.
    Value streamed(const std::string& window, int64_t pieceRows) {
        const Ref<Query> parsed = query("select " + window + " from t");
        const auto& node = static_cast<const Window&>(*parsed->items.at(0).value);
        const Ref<MemoryTable> rows(static_cast<MemoryTable*>(&run("t").table()));
        std::vector<Value> values, numbers;
        WindowStream stream(
            {&node}, "row", kRows,
            [&](const MemoryTable& own) {
                for (int64_t i = 0; i < own.rowCount(); ++i) {
                    numbers.push_back(own.column(0).at(i));
                    values.push_back(own.column(1).at(i));
                }
                ++taken;
            },
            context);
        for (int64_t begin = 0; begin < kRows; begin += pieceRows)
            stream.add(*rows->slice(begin, std::min(pieceRows, kRows - begin)));
        stream.finish();
        CHECK(identical(columnOf(std::move(numbers)), rows->column(0)));
        return columnOf(std::move(values));
    }
    int taken = 0;  // how many pieces of the result came so far
};

}  // namespace

TEST_CASE("a stream gives what all rows at once give, as soon as what a row reads is there") {
    Bench bench;
    for (const char* window :
         {"row_number() over (order by at)", "rank() over (order by at)", "cume_dist() over (order by at)",
          "lag(v, 2, -1) over (order by at)", "lead(v) over (order by at)",
          "sum(v) over (order by at rows between 3 preceding and 2 following)",
          "max(v) over (order by at rows between 2 following and 5 following)", "ntile(7) over (order by at)"}) {
        INFO(window);
        const Value whole = bench.answer("select " + std::string(window) + " as y from t");
        bench.taken = 0;
        CHECK(identical(bench.streamed(window, 1000), static_cast<const MemoryTable&>(whole.table()).column(0)));
        CHECK(bench.taken > 1);
    }
}

TEST_CASE("a window that reads all rows before it is computed at the end") {
    Bench bench;
    const Value whole = bench.answer("select sum(v) over (order by at) as y from t");
    CHECK(identical(bench.streamed("sum(v) over (order by at)", 1000),
                    static_cast<const MemoryTable&>(whole.table()).column(0)));
    CHECK(bench.taken == 1);
}
