// f(…) over (…) returns for each row the value that C++ computes over its frame.
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    std::string over(const std::string& call, const std::string& window) {
        return shown("exec " + call + " over (" + window + ") from t");
    }
};

}  // namespace

TEST_CASE("a range in which NULL stands first or last reaches the rows near a value, and from NULL the others of it") {
    Bench bench;
    bench.run("t = table(3 1 00i 2 00i 5 as x, 1..6 as v)");
    for (const char* order :
         {"x", "x desc", "x nulls last", "x nulls first", "x desc nulls first", "x desc nulls last"}) {
        INFO(order);
        CHECK(bench.over("sum(v)", std::string("order by ") + order + " range between 1 preceding and 1 following") ==
              "[5,6,8,7,8,6]");
    }
    CHECK(bench.over("sum(v)", "order by x nulls last range between unbounded preceding and 1 following") ==
          "[7,6,21,7,21,13]");
    CHECK(bench.over("sum(v)", "order by x range between unbounded preceding and 1 following") == "[15,14,8,15,8,21]");
}

TEST_CASE("a frame that ends before it begins has no rows") {
    Bench bench;
    bench.run("t = table(1 2 3 4 as x, 1 2 3 4 as v)");
    for (const char* kind : {"rows", "range"}) {
        INFO(kind);
        const std::string frame = std::string("order by x ") + kind;
        CHECK(bench.over("count(*)", frame + " between 3 following and 1 following") == "[0,0,0,0]");
        CHECK(bench.over("count(*)", frame + " between 1 preceding and 3 preceding") == "[0,0,0,0]");
        CHECK(bench.over("sum(v)", frame + " between 3 following and 1 following") == "[,,,]");
        CHECK(bench.over("first_value(v)", frame + " between 3 following and 1 following") == "[,,,]");
        CHECK(bench.over("count(*)", frame + " between 1 following and 2 following") == "[2,2,1,0]");
    }
}

TEST_CASE("a distance that is larger than any number of rows reaches none, or all") {
    Bench bench;
    bench.run("t = table(1 2 3 as v)");
    for (const char* far : {"4294967297", "2147483647", "9223372036854775807"}) {
        INFO(far);
        const std::string n = far;
        CHECK(bench.over("lag(v, " + n + ")", "order by v") == "[,,]");
        CHECK(bench.over("lead(v, " + n + ", 7)", "order by v") == "[7,7,7]");
        CHECK(bench.over("nth_value(v, " + n + ")", "order by v") == "[,,]");
        CHECK(bench.over("sum(v)", "order by v rows between current row and " + n + " following") == "[6,5,3]");
        CHECK(bench.over("sum(v)", "order by v rows between " + n + " preceding and current row") == "[1,3,6]");
        CHECK(bench.over("count(*)", "order by v rows between " + n + " following and unbounded following") ==
              "[0,0,0]");
    }
    CHECK(bench.over("lag(v, -1)", "order by v") == "[2,3,]");
}

TEST_CASE("what a window cannot be is told") {
    Bench bench;
    bench.run("t = table(1 2 3 as v, 1 1 2 as k)");
    const auto fails = [&](const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(bench.answer(string), Catch::Contains(told));
    };
    fails("select lag(v, 00i) over (order by v) from t", "lag needs a number of rows, but it is NULL");
    fails("select sum(v) over (order by v rows between 00i preceding and current row) from t", "must be a number");
    fails("select ntile(0) over (order by v) from t", "ntile needs a positive number of groups");
    fails("select sum(v) over (order by k, v range between 1 preceding and current row) from t",
          "needs order by one column");
    fails("select sum(v) over (range between 1 preceding and current row) from t", "needs order by one column");
    fails("select cumsum(v) over (order by v) from t", "returns no single value");
    fails("select lag() over (order by v) from t", "lag needs an argument");
    fails("select v from t where sum(v) over (order by v) > 3", "can't stand in where");
    fails("select sum(v) over (order by v) from t context by k", "S02047");
}

// Drawn partitions, orders, frames and functions.
TEST_CASE("windows give what C++ finds in their frames, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
    Bench bench;
    int framed = 0, empty = 0, peersMet = 0;
    for (int n = 0; n < 1500; ++n) {
        const DrawnRows rows = drawnRows(static_cast<int64_t>(below(40)), random);
        bench.session->setVariable("m", Value::of(Ref<Table>(tableOf(rows))));
        bench.share("t", "m", "place", "0 13 14 30 1000", 5);
        const bool parted = below(2) == 1, ascending = below(2) == 1;
        const size_t nulls = below(3);
        const bool nullsFirst = nulls == 0 ? ascending : nulls == 1;
        const bool byRange = below(2) == 1, ordered = below(6) > 0;
        std::string window = parted ? "partition by name" : "";
        if (ordered) {
            window += std::string(window.empty() ? "" : " ") + "order by few" + (ascending ? "" : " desc") +
                      (nulls == 0   ? ""
                       : nulls == 1 ? " nulls first"
                                    : " nulls last");
        }
        // Ends of a frame: unbounded, or so far from the row.
        struct End {
            bool unbounded;
            int64_t distance;
        };
        End low{true, 0}, high{true, 0};
        const bool hasFrame = ordered && below(4) > 0;
        const auto drawEnd = [&](End& end, const char* unbounded) -> std::string {
            end = {below(4) == 0, static_cast<int64_t>(below(6)) - 3};
            if (end.unbounded) return unbounded;
            if (end.distance == 0) return "current row";
            return std::to_string(std::abs(end.distance)) + (end.distance < 0 ? " preceding" : " following");
        };
        if (hasFrame) {
            window += std::string(byRange ? " range" : " rows") + " between " + drawEnd(low, "unbounded preceding");
            window += " and " + drawEnd(high, "unbounded following");
        }
        static const std::vector<std::string> kCalls = {
            "sum(wide)",         "count(half)",      "count(*)",           "min(half)",    "max(place)",
            "first_value(half)", "last_value(wide)", "nth_value(half, 2)", "lag(half)",    "lead(wide, 2)",
            "row_number()",      "rank()",           "dense_rank()",       "first(place)", "ntile(3)"};
        const std::string& call = kCalls[below(kCalls.size())];

        std::vector<Item> wanted(rows.size());
        std::map<Item, std::vector<DrawnRow>> partitions;
        for (const DrawnRow& row : rows) partitions[parted ? row.name : Item()].push_back(row);
        for (auto& [key, own] : partitions) {
            const auto isBefore = [&](const Item& x, const Item& y) {
                if (!ordered || x == y) return false;
                if (!x || !y) return nullsFirst == !x;
                return ascending ? x < y : x > y;
            };
            const auto arePeers = [&](const DrawnRow& a, const DrawnRow& b) { return !ordered || a.few == b.few; };
            std::stable_sort(own.begin(), own.end(),
                             [&](const DrawnRow& a, const DrawnRow& b) { return isBefore(a.few, b.few); });
            for (size_t i = 0; i < own.size(); ++i) {
                const DrawnRow& row = own[i];
                // Whether row j is not before the low end of the frame, and not behind the high one.
                const auto isIn = [&](size_t j) {
                    if (!hasFrame) return !ordered || !isBefore(row.few, own[j].few);
                    const auto reaches = [&](const End& end, bool isLow) {
                        if (end.unbounded) return true;
                        if (!byRange) {
                            const int64_t distance = static_cast<int64_t>(j) - static_cast<int64_t>(i);
                            return isLow ? distance >= end.distance : distance <= end.distance;
                        }
                        const Item bound =
                            row.few ? Item(*row.few + (ascending ? end.distance : -end.distance)) : Item();
                        return isLow ? !isBefore(own[j].few, bound) : !isBefore(bound, own[j].few);
                    };
                    return reaches(low, true) && reaches(high, false);
                };
                std::vector<DrawnRow> frame;
                for (size_t j = 0; j < own.size(); ++j) {
                    if (isIn(j)) frame.push_back(own[j]);
                    peersMet += j != i && ordered && arePeers(own[j], row);
                }
                framed += static_cast<int>(frame.size());
                empty += frame.empty();
                const auto of = [&](Item (*column)(const DrawnRow&)) {
                    std::vector<int64_t> items;
                    for (const DrawnRow& r : frame) {
                        if (const Item item = column(r)) items.push_back(*item);
                    }
                    return items;
                };
                const auto at = [&](const std::vector<DrawnRow>& list, int64_t j, Item (*column)(const DrawnRow&)) {
                    return j >= 0 && j < static_cast<int64_t>(list.size()) ? column(list[static_cast<size_t>(j)])
                                                                           : Item();
                };
                const auto half = [](const DrawnRow& r) { return r.half; };
                const auto wide = [](const DrawnRow& r) { return r.wide; };
                const auto halves = of(half), wides = of(wide);
                const auto here = static_cast<int64_t>(i), size = static_cast<int64_t>(own.size());
                Item& result = wanted[static_cast<size_t>(row.place)];
                if (call == "sum(wide)" && !wides.empty()) {
                    result = std::accumulate(wides.begin(), wides.end(), int64_t{0});
                } else if (call == "count(half)") {
                    result = halves.size();
                } else if (call == "count(*)") {
                    result = frame.size();
                } else if (call == "min(half)" && !halves.empty()) {
                    result = *std::min_element(halves.begin(), halves.end());
                } else if (call == "max(place)" && !frame.empty()) {
                    for (const DrawnRow& r : frame) result = std::max(result, Item(r.place));
                } else if (call == "first_value(half)") {
                    result = at(frame, 0, half);
                } else if (call == "last_value(wide)") {
                    result = at(frame, static_cast<int64_t>(frame.size()) - 1, wide);
                } else if (call == "nth_value(half, 2)") {
                    result = at(frame, 1, half);
                } else if (call == "lag(half)") {
                    result = at(own, here - 1, half);
                } else if (call == "lead(wide, 2)") {
                    result = at(own, here + 2, wide);
                } else if (call == "row_number()") {
                    result = here + 1;
                } else if (call == "first(place)" && !frame.empty()) {
                    result = frame[0].place;
                } else if (call == "rank()" || call == "dense_rank()") {
                    int64_t before = 1;
                    for (size_t j = 0; j < own.size(); ++j) {
                        const bool isNew = call == "rank()" || j == 0 || !arePeers(own[j - 1], own[j]);
                        before += isNew && isBefore(own[j].few, row.few);
                    }
                    result = before;
                } else if (call == "ntile(3)") {
                    // The first tiles have one row more where rows are left over.
                    int64_t tile = 0, end = 0;
                    while (end <= here) end += size / 3 + (tile++ < size % 3 ? 1 : 0);
                    result = tile;
                }
            }
        }
        std::vector<std::vector<Item>> expected;
        for (const Item& item : wanted) expected.push_back({item});
        for (const char* table : {"m", "t"}) {
            const std::string string = "select " + call + " over (" + window + ") as w from " + std::string(table);
            INFO(string);
            CHECK(bench.given(string) == toString(expected));
        }
    }
    CHECK(framed > 50'000);
    CHECK(empty > 200);
    CHECK(peersMet > 10'000);
}
