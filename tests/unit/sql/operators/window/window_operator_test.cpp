// Windows over more rows than one part holds: their groups are computed part by part, on all threads.
#include "sql/operators/window/window_operator.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "common/thread/thread_pool.h"
#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

constexpr int kRows = 50000;

struct Bench : QueryBench {
    Bench() {
        run("i = long(0..49999)\n"
            "t = table(i as place, i * 7919 % 17011 as k, i * 104729 % 1009 as x, double(i * 31 % 97) / 8 as v, "
            "\"s\" + string(i % 5) as s)");
    }
    // Returns the column of a window by place.
    std::vector<int64_t> over(const std::string& window) {
        const Value column = answer("exec " + window + " from t");
        REQUIRE(column.size() == kRows);
        std::vector<int64_t> numbers;
        for (int64_t i = 0; i < kRows; ++i) {
            const Value item = column.at(i);
            numbers.push_back(item.isNull() ? -1 : item.asLong());
        }
        return numbers;
    }
};

int64_t keyOf(int64_t place) {
    return place * 7919 % 17011;
}
int64_t orderOf(int64_t place) {
    return place * 104729 % 1009;
}

// The places of each group in the order of x and place.
std::map<int64_t, std::vector<int64_t>> groups() {
    std::map<int64_t, std::vector<int64_t>> result;
    for (int64_t i = 0; i < kRows; ++i) result[keyOf(i)].push_back(i);
    for (auto& [key, places] : result) {
        std::stable_sort(places.begin(), places.end(), [](int64_t a, int64_t b) { return orderOf(a) < orderOf(b); });
    }
    return result;
}

}  // namespace

TEST_CASE("windows of many small groups give what C++ finds") {
    Bench bench;
    const auto numbers = bench.over("row_number() over (partition by k order by x)");
    const auto sums =
        bench.over("sum(place) over (partition by k order by x rows between 1 preceding and 1 following)");
    const auto lags = bench.over("lag(place) over (partition by k order by x)");
    const auto counts = bench.over("count(*) over (partition by k)");
    for (const auto& [key, places] : groups()) {
        for (size_t i = 0; i < places.size(); ++i) {
            const auto at = static_cast<size_t>(places[i]);
            int64_t sum = places[i];
            if (i > 0) sum += places[i - 1];
            if (i + 1 < places.size()) sum += places[i + 1];
            const bool isRight = numbers[at] == static_cast<int64_t>(i) + 1 && sums[at] == sum &&
                                 lags[at] == (i > 0 ? places[i - 1] : -1) &&
                                 counts[at] == static_cast<int64_t>(places.size());
            if (!isRight) FAIL("row " << at << " of group " << key);
        }
    }
}

TEST_CASE("windows have the same bits on one thread and on all") {
    Bench bench;
    const std::string query =
        "select sum(v) over (partition by k order by x) as a, std(v) over (partition by k order by x rows between 3 "
        "preceding and current row) as b, med(v) over (partition by s) as c, lag(s) over (partition by k order by x) "
        "as d, nunique(v) over (partition by k order by x rows between 2 preceding and 2 following) as e, "
        "sum(deltas(v)) "
        "over (partition by s order by x) as f, row_number() over (order by v) as g from t";
    const Value parallel = bench.answer(query);
    const SerialWork alone;
    const Value serial = bench.answer(query);
    for (int c = 0; c < 7; ++c)
        CHECK(identical(static_cast<MemoryTable&>(parallel.table()).column(c),
                        static_cast<MemoryTable&>(serial.table()).column(c)));
}

TEST_CASE("an aggregate of a frame is that of its rows, constants too") {
    Bench bench;
    bench.run("t = table(1 2 3 4 as v, 1 1 1 2 as k)");
    const auto over = [&](const std::string& window) { return display(bench.answer("exec " + window + " from t")); };
    CHECK(over("sum(2) over (partition by k order by v rows between 1 preceding and current row)") == "[2,4,4,2]");
    CHECK(over("count(1) over (partition by k)") == "[3,3,3,1]");
    CHECK(over("max(deltas(v)) over (partition by k order by v)") == "[,1,1,]");
    CHECK(over("percentile(v, 50) over (partition by k)") == "[2,2,2,4]");
    CHECK_THROWS_WITH(over("var(string(v)) over (partition by k)"), Catch::Contains("must be numeric"));
}
