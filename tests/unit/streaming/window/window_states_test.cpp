// Metrics from states against the query over the rows of the same windows, as WindowMetrics computes it.
#include "streaming/window/window_states.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "interpreter/engine/engine.h"
#include "runtime/function/principal.h"
#include "runtime/value/print.h"
#include "streaming/reactive/state_program.h"
#include "tests/unit/process/whole_process.h"

namespace pelorus {

namespace {

struct Bench {
    Request request{Principal::owner()};
    Context context{testing::wholeProcess().services(), request};
    Session session{testing::wholeProcess().services()};

    Bench() {
        context.session = &session;
        context.scope = &session;
    }
    Ref<MemoryTable> table(const std::string& code) { return tableToRead(evaluate(code, session, context)); }
    WindowMetrics metrics(const std::string& code, const TableSchema& input) {
        return {metricsOf(evaluate(code, session, context), 0, "metrics"), input, context};
    }
};

// Rows with every kind of value that aggregates choose from, NULLs among them.
constexpr const char* kRows =
    "n = 600; table(rand([1, 2, NULL, -7], n) as i, rand(10.0, n) - 5 as x, iif(rand(4, n) == 0, NULL, rand(10.0, n)) "
    "as y, rand([3l, 9223372036854775806l, NULL], n) as l, rand(`b`a`c, n) as s, symbol(rand(`q`p, n)) as k, "
    "decimal64(rand(100.0, n), 2) as d, rand(2024.01.01 2023.05.05 NULL, n) as t, rand(true false NULL, n) as b)";

constexpr const char* kMetrics[] = {"first(i)",
                                    "last(y)",
                                    "sum(i)",
                                    "sum(x) * 2 + count(y)",
                                    "avg(l)",
                                    "max(s)",
                                    "min(s)",
                                    "first(k)",
                                    "last(s)",
                                    "sum(d)",
                                    "max(d) - min(d)",
                                    "max(t)",
                                    "count(*)",
                                    "std(x)",
                                    "var(y)",
                                    "wavg(x, y)",
                                    "wsum(i, x)",
                                    "corr(x, y)",
                                    "sum(x * y) / sum(y)",
                                    "firstNot(y)",
                                    "lastNot(i)",
                                    "max(b)",
                                    "iif(sum(x) > 0, first(x), last(x))",
                                    "sum(iif(b, x, 0.0))",
                                    "imax(x)",
                                    "atImax(x, s)",
                                    "sum2(x)",
                                    "beta(x, y)",
                                    "sum(i + 3)"};

void requireSame(const Value& got, const Value& expected) {
    REQUIRE(got.type() == expected.type());
    REQUIRE(got.size() == expected.size());
    for (int64_t i = 0; i < got.size(); ++i) {
        const Value a = got.at(i), b = expected.at(i);
        INFO("window " << i << ": " << itemString(a) << " and " << itemString(b));
        if (isFloating(a.type()) && !a.isNull() && !b.isNull()) {
            REQUIRE(std::fabs(a.asDouble() - b.asDouble()) <= 1e-9 * std::max(1.0, std::fabs(b.asDouble())));
        } else {
            REQUIRE(itemString(a) == itemString(b));
        }
    }
}

}  // namespace

TEST_CASE("states that rows came to by pieces, in slots of earlier windows, give what a query over the windows gives") {
    constexpr int32_t kWindows = 40, kSlots = 10, kPiece = 7;
    Bench bench;
    const Ref<MemoryTable> all = bench.table(kRows);
    for (const char* code : kMetrics) {
        INFO(code);
        const WindowMetrics metrics = bench.metrics("<" + std::string(code) + ">", all->columns());
        const std::unique_ptr<WindowStates> states = WindowStates::of(metrics, all->columns(), bench.context);
        REQUIRE(states);
        std::mt19937 random(3);
        std::vector<int32_t> chosen, windows;  // rows that are not dropped, in the order of their windows
        std::vector<Value> got;
        states->resize(kSlots / 2);
        for (int32_t window = 0, row = 0; window < kWindows; ++window) {
            const std::vector<int32_t> slot = {(window * 3) % kSlots};
            if (window == 2) states->resize(kSlots);
            for (int pieces = static_cast<int>(random() % 3); window == 0 || pieces >= 0; --pieces) {
                std::vector<int32_t> slots(kPiece);
                for (int32_t& own : slots) own = random() % 5 == 0 ? -1 : slot[0];
                for (size_t i = 0; i < slots.size(); ++i) {
                    if (slots[i] < 0) continue;
                    chosen.push_back(row + static_cast<int32_t>(i));
                    windows.push_back(window);
                }
                states->add(bench.context, *all->slice(row, kPiece), slots);
                row = (row + kPiece) % (static_cast<int32_t>(all->rowCount()) - kPiece);
                if (window == 0) break;
            }
            for (const Value& result : states->results(bench.context, slot)) {
                if (got.empty()) {
                    got.push_back(result);
                } else {
                    appendElements(got[0], result);
                }
            }
            states->clear(slot);
        }
        const Ref<MemoryTable> rows = all->gather(chosen.data(), std::ssize(chosen));
        const std::vector<Value> expected = metrics.compute(bench.context, *rows, windows, kWindows);
        REQUIRE(got.size() == expected.size());
        requireSame(got[0], expected[0]);
    }
}

TEST_CASE("metrics that need all rows of a window have no states") {
    Bench bench;
    const Ref<MemoryTable> all = bench.table(kRows);
    bench.table("defg spread(x) { return max(x) - min(x) }; table(1 as a)");
    for (const char* code : {"<spread(x)>", "<med(x)>", "<nunique(s)>", "<cumsum(sum(x))>", "<[sum(x), spread(x)]>",
                             "<sum(prev(x))>", "<toArray(x)>"}) {
        INFO(code);
        REQUIRE_FALSE(WindowStates::of(bench.metrics(code, all->columns()), all->columns(), bench.context));
    }
}

}  // namespace pelorus
