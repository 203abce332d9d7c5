// Groups by intervals: the windows, the rows of each, and the filling of those without rows.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() { run("t = table(1 2 3 4 5 7 12 as x, 1..7 as v, 1.0 2 3 4 5 6 7 as real)"); }
    // Returns "4 4 | 5 5 | 6 - | ", each window with its values.
    std::string given(const std::string& interval, const std::string& where = "", const std::string& item = "sum(v)") {
        return toString(
            itemsOfRows(*rowsOf(answer("select " + item + " from t" + (where.empty() ? "" : " where " + where) +
                                       " group by interval(" + interval + ")"))));
    }
};

int64_t floored(int64_t x, int64_t step) {
    return (x >= 0 ? x : x - step + 1) / step * step;
}

}  // namespace

TEST_CASE("windows reach from the first row to the last, and those without rows are filled as is said") {
    Bench bench;
    CHECK(bench.given("x, 4, \"null\"") == "0 6 | 4 15 | 8 - | 12 7 | ");
    CHECK(bench.given("x, 4, \"none\"") == "0 6 | 4 15 | 12 7 | ");
    CHECK(bench.given("x, 4, \"prev\"") == "0 6 | 4 15 | 8 15 | 12 7 | ");
    CHECK(bench.given("x, 4, \"post\"") == "0 6 | 4 15 | 8 7 | 12 7 | ");
    CHECK(bench.given("x, 4, \"linear\"") == "0 6 | 4 15 | 8 11 | 12 7 | ");
    CHECK(bench.given("x, 4, 99") == "0 6 | 4 15 | 8 99 | 12 7 | ");
    CHECK(bench.shown("exec sum(real) from t group by interval(x, 4, \"linear\")") ==
          bench.shown("table([0, 4, 8, 12] as interval_x, [6.0, 15, 11, 7] as sum_real)"));
}

TEST_CASE("windows begin where the conditions begin, and end where they end") {
    Bench bench;
    CHECK(bench.given("x, 4, \"null\"", "x between 5:20") == "4 11 | 8 - | 12 7 | 16 - | 20 - | ");
    CHECK(bench.given("x, 4, \"null\"", "x > 3, x < 8") == "4 15 | ");
    CHECK(bench.given("x, 4, \"null\"", "x >= 3 and x <= 8") == "0 3 | 4 15 | 8 - | ");
    CHECK(bench.given("x, 4, \"null\"", "x > 90, x < 8").empty());
    CHECK(bench.given("x, 4, \"null\"", "v > 100").empty());
}

// A fraction would be rounded to a number of the column, and the rows up to that would be lost.
TEST_CASE("bounds that are fractions keep the rows that pass") {
    Bench bench;
    CHECK(bench.given("x, 1, \"none\"", "x > 2.5") == "3 3 | 4 4 | 5 5 | 7 6 | 12 7 | ");
    CHECK(bench.given("x, 1, \"none\"", "x >= 2.7") == "3 3 | 4 4 | 5 5 | 7 6 | 12 7 | ");
    CHECK(bench.given("x, 1, \"none\"", "x < 3.4") == "1 1 | 2 2 | 3 3 | ");
    CHECK(bench.given("x, 1, \"null\"", "x >= 2.3, x <= 5.7") == "3 3 | 4 4 | 5 5 | ");
    CHECK(bench.given("x, 1, \"null\"", "x > 2.0, x < 5.0") == "3 3 | 4 4 | ");
}

// Windows cannot begin or end there.
TEST_CASE("bounds that are NULL or beyond the column's type leave it to the rows where windows end") {
    Bench bench;
    const std::string all = bench.given("x, 4, \"null\"");
    for (const char* where : {"x > 00i", "x >= 00i", "x < 5000000000l", "x > -5000000000l", "x < 1e300", "x > -1e300",
                              "x < 9223372036854775807l"}) {
        INFO(where);
        CHECK(bench.given("x, 4, \"null\"", where) == all);
    }
    CHECK(bench.given("x, 4, \"null\"", "x < 00i").empty());
    CHECK(bench.given("x, 4, \"null\"", "x <= 00i").empty());
}

// Large integers: the neighbours pass, too.
TEST_CASE("a bound that is a fraction ends no windows where several numbers compare as one with it") {
    Bench bench;
    bench.run("t = table([9007199254740992l, 9007199254740993l] as x, 1 2 as v)");
    CHECK(bench.shown("exec sum(v) from t where x <= 9007199254740992.0 group by interval(x, 1, \"none\")") ==
          bench.shown("table([9007199254740992l, 9007199254740993l] as interval_x, 1l 2l as sum_v)"));
    bench.run("t = table(16777216 16777217 as x, 1 2 as v)");
    CHECK(bench.given("x, 1, \"none\"", "x <= 16777216f") == "16777216 1 | 16777217 2 | ");
}

TEST_CASE("what an interval cannot be is told by the name of its parameter") {
    Bench bench;
    const auto fails = [&](const std::string& interval, const std::string& string) {
        INFO(interval);
        CHECK_THROWS_WITH(bench.given(interval), Catch::Contains(string));
    };
    fails("x, 0, \"null\"", "duration must be positive");
    fails("x, -3, \"null\"", "duration must be positive");
    fails("x, 1.5, \"null\"", "duration must be an integer or a duration");
    fails("x, 10s, \"null\"", "duration does not fit a column of type INT");
    fails("x, 4, \"null\", 3", "step of interval must divide duration");
    fails("x, 4, \"later\"", "fill of interval must be");
    fails("x, 4", "fill of interval must be");
    fails("x, 4, \"null\", closed=\"both\"", "closed must be one of left, right");
    fails("x, 4, \"null\", depth=3", "depth");
    fails("x, 4, \"null\", explicitOffset=true, origin=\"start\"", "origin of interval can't be set");
    fails("real, 4, \"null\"", "X of interval must be a column of times or integers");
    fails("x, 4, \"null\", origin=2024.01.01", "of the type of X");
    bench.run("t = table(0 2147483000 as x, 1 2 as v)");
    fails("x, 1, \"null\"", "interval would make 2147483001 windows");
}

TEST_CASE("times fall into windows of durations, counted from the day of the first") {
    Bench bench;
    bench.run("t = table(2024.01.01T00:00:07 2024.01.01T00:00:12 2024.01.01T00:01:00 as at, 1 2 3 as v)");
    CHECK(bench.shown("exec at from select sum(v) from t group by interval(at, 30s, \"null\") as at") ==
          "[2024.01.01T00:00:00,2024.01.01T00:00:30,2024.01.01T00:01:00]");
    CHECK(bench.shown("exec s from select sum(v) as s from t group by interval(at, 30s, \"null\") as at") == "[3,,3]");
    CHECK(
        bench.shown("exec at from select sum(v) from t group by interval(at, 30s, \"none\", origin=\"start\") as at") ==
        "[2024.01.01T00:00:07,2024.01.01T00:00:37]");
    CHECK(bench.shown("exec at from select sum(v) from t group by interval(at, 7s, \"none\", label=\"right\") as at") ==
          "[2024.01.01T00:00:14,2024.01.01T00:01:03]");
}

// Drawn rows, windows and conditions, against windows that are filled row by row.
TEST_CASE("windows hold the rows that C++ puts into them, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
    Bench bench;
    int windowsMet = 0, emptyMet = 0, shared = 0;
    for (int n = 0; n < 1500; ++n) {
        struct Row {
            Item x, key;
            int64_t v;
        };
        std::vector<Row> rows(static_cast<size_t>(1 + below(25)));
        const auto count = static_cast<int64_t>(rows.size());
        const Ref<Vector> xs = Vector::make(Type::Int, count), keys = Vector::make(Type::Int, count),
                          vs = Vector::make(Type::Int, count);
        for (int64_t i = 0; i < count; ++i) {
            Row& row = rows[static_cast<size_t>(i)];
            row = {below(9) ? Item(below(70) - 25) : Item(), below(6) ? Item(below(3)) : Item(), below(100)};
            const auto value = [](const Item& item) {
                return item ? Value::ofInt(static_cast<int32_t>(*item)) : Value::nullOf(Type::Int);
            };
            xs->set(i, value(row.x));
            keys->set(i, value(row.key));
            vs->set(i, value(row.v));
        }
        auto table = makeRef<MemoryTable>();
        table->setColumn("x", Value::of(xs));
        table->setColumn("key", Value::of(keys));
        table->setColumn("v", Value::of(vs));
        bench.session->setVariable("t", Value::of(Ref<Table>(table)));

        const int64_t step = 1 + below(6), duration = step * (1 + below(3));
        const bool closedRight = below(2) == 1, labelRight = below(2) == 1, byKey = below(2) == 1;
        const std::string fill =
            std::vector<std::string>{"null", "none", "prev", "post"}[static_cast<size_t>(below(4))];
        const std::string origin = std::vector<std::string>{"epoch", "start", "end"}[static_cast<size_t>(below(3))];
        // Bounds in halves, each of which some whole numbers pass.
        struct Bound {
            bool isLow, included;
            int64_t halves;
            bool holds(int64_t x) const {
                const int64_t twice = 2 * x;
                return isLow ? (included ? twice >= halves : twice > halves)
                             : (included ? twice <= halves : twice < halves);
            }
        };
        std::vector<Bound> bounds;
        std::string where;
        for (int64_t more = below(3); more > 0; --more) {
            bounds.push_back({below(2) == 1, below(2) == 1, below(140) - 50});
            const Bound& b = bounds.back();
            const std::string number = (b.halves % 2 == 0 && below(2)) ? std::to_string(b.halves / 2)
                                                                       : "(" + std::to_string(b.halves) + " / 2.0)";
            where += (where.empty() ? " where x " : ", x ") + std::string(b.isLow ? ">" : "<") +
                     (b.included ? "= " : " ") + number;
        }
        const std::string string = "select sum(v), count(v) from t" + where + " group by " + (byKey ? "key, " : "") +
                                   "interval(x, " + std::to_string(duration) + ", \"" + fill + "\", " +
                                   std::to_string(step) + ", closed=\"" + (closedRight ? "right" : "left") +
                                   "\", label=\"" + (labelRight ? "right" : "left") + "\", origin=\"" + origin + "\")";
        INFO(string << " of x " << display(table->column(0)) << " key " << display(table->column(1)));

        std::erase_if(rows, [&](const Row& row) {
            return std::any_of(bounds.begin(), bounds.end(), [&](const Bound& b) {
                return row.x ? !b.holds(*row.x) : b.isLow;  // NULL is below all
            });
        });
        Item low, high;
        for (const Row& row : rows) {
            if (!row.x) continue;
            low = low ? std::min(*low, *row.x) : row.x;
            high = high ? std::max(*high, *row.x) : row.x;
        }
        const bool hasRows = low.has_value();
        for (int64_t x = -200; x <= 200; ++x) {
            const auto passes = [&](bool isLow) {
                return std::all_of(bounds.begin(), bounds.end(),
                                   [&](const Bound& b) { return b.isLow != isLow || b.holds(x); });
            };
            const auto isBounded = [&](bool isLow) {
                return std::any_of(bounds.begin(), bounds.end(), [&](const Bound& b) { return b.isLow == isLow; });
            };
            if (isBounded(true) && !passes(true)) low = x + 1;
            if (isBounded(false) && passes(false)) high = x;
        }
        std::vector<std::vector<Item>> wanted;
        if (hasRows) {
            const int64_t from = origin == "epoch" ? 0 : origin == "start" ? *low : *high;
            const auto windowOf = [&](int64_t x) { return from + floored(x - from - (closedRight ? 1 : 0), step); };
            // NULL is in no window, but has a separate series where it is the other key.
            std::map<Item, std::vector<Row>> series;
            for (const Row& row : rows) {
                if (row.x) series[byKey ? row.key : Item()].push_back(row);
            }
            for (const auto& [key, own] : series) {
                std::vector<std::vector<Item>> cells;
                for (int64_t w = windowOf(*low); w <= windowOf(*high); w += step) {
                    int64_t sum = 0, held = 0;
                    for (const Row& row : own) {
                        const int64_t at = *row.x - w - (closedRight ? 1 : 0);
                        if (at < 0 || at >= duration) continue;
                        sum += row.v;
                        ++held;
                    }
                    ++windowsMet;
                    emptyMet += held == 0;
                    if (held == 0 && fill == "none") continue;
                    std::vector<Item> cell = {w + (labelRight ? duration : 0)};
                    if (byKey) cell.insert(cell.begin(), key);
                    cell.push_back(held ? Item(sum) : Item());
                    cell.push_back(held ? Item(held) : Item());
                    cells.push_back(cell);
                }
                const auto copy = [&](size_t to, size_t of) {
                    if (cells[to].back()) return;
                    std::copy(cells[of].end() - 2, cells[of].end(), cells[to].end() - 2);
                };
                for (size_t i = 1; fill == "prev" && i < cells.size(); ++i) copy(i, i - 1);
                for (size_t i = cells.size(); fill == "post" && i-- > 1;) copy(i - 1, i);
                wanted.insert(wanted.end(), cells.begin(), cells.end());
            }
            shared += series.size() > 1;
        }
        CHECK(toString(itemsOfRows(*rowsOf(bench.answer(string)))) == toString(wanted));
    }
    CHECK(windowsMet > 1000);
    CHECK(emptyMet > 200);
    CHECK(shared > 20);
}
