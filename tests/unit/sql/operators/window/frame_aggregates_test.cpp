// Aggregates of frames are those of their rows, whichever way they are computed.
#include <catch2/catch.hpp>
#include <random>

#include "runtime/value/print.h"
#include "runtime/value/vector.h"
#include "sql/operators/window/window_kernels.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

TEST_CASE("an aggregate of each frame is that of a slice of the column") {
    QueryBench bench;
    std::mt19937 random(3);
    std::vector<double> x(600), y(600);
    std::vector<int32_t> begin = {0};
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = random() % 6 == 0 ? null<double> : static_cast<double>(random() % 40) / 4;
        y[i] = static_cast<double>(random() % 1000);
        if (i > 0 && random() % 30 == 0) begin.push_back(static_cast<int32_t>(i));
    }
    begin.push_back(600);
    const WindowRows rows{.groupBegin = begin};
    const std::vector<Value> columns = {Value::of(Vector::of(Type::Double, x)), Value::of(Vector::of(Type::Double, y))};
    for (const char* frame :
         {"rows between 4 preceding and current row", "rows between 2 preceding and 3 following",
          "rows between unbounded preceding and current row", "rows between unbounded preceding and 2 preceding",
          "rows between unbounded preceding and unbounded following"}) {
        for (const char* call : {"sum(x)", "avg(x)", "count(x)", "min(x)", "std(x)", "med(x)", "nunique(x)", "first(x)",
                                 "sem(x)", "prod(x)", "corr(x, y)", "wavg(x, y)"}) {
            INFO(call << " over " << frame);
            const Ref<Query> code =
                bench.query("select " + std::string(call) + " over (order by x " + frame + ") from t");
            const BoundWindow window = bindWindow(static_cast<const Window&>(*code->items.at(0).value), bench.context);
            REQUIRE(window.kind == BoundWindow::Kind::Aggregate);
            const std::vector<RowSpan> frames = framesOf(window, rows, {});
            const bool isOfTwo = std::string(call).find(',') != std::string::npos;
            const Value values = aggregatesOfFrames(
                window, rows, frames, std::span<const Value>(columns).first(isOfTwo ? 2 : 1), bench.context);
            REQUIRE(values.size() == 600);
            for (size_t i = 0; i < frames.size(); i += 7) {
                std::vector<Value> slices;
                for (size_t a = 0; a < (isOfTwo ? 2u : 1u); ++a)
                    slices.push_back(
                        Value::of(columns[a].vector().slice(frames[i].begin, frames[i].end - frames[i].begin)));
                const Value wanted = window.aggregate().call(bench.context, slices);
                const Value got = values.at(static_cast<int64_t>(i));
                INFO("row " << i << ": " << display(got) << ", wanted " << display(wanted));
                REQUIRE(got.isNull() == wanted.isNull());
                if (!got.isNull()) REQUIRE(got.asDouble() == Approx(wanted.asDouble()).epsilon(1e-9).margin(1e-9));
            }
        }
    }
}
