// roll(…) steps through the rows of each group.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    void fails(const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(answer(string), Catch::Contains(told));
    }
};

}  // namespace

TEST_CASE("steps by rows, by volumes and by given windows") {
    Bench bench;
    bench.run("t = table(1 1 1 1 1 as k, 1 2 4 8 9 as x, 10 20 30 40 50 as v)");
    CHECK(bench.given("select roll(x, 2, \"row\"), sum(v) from t context by k") == "2 30 | 8 70 | ");
    CHECK(bench.given("select roll(x, 5, \"row\"), sum(v) from t context by k") == "9 150 | ");
    CHECK(bench.given("select roll(x, 6, \"row\"), sum(v) from t context by k").empty());
    // Running volumes of 10, 30, 60, 100 and 150, in steps of 60.
    CHECK(bench.given("select roll(v, 60, \"volume\"), last(x) from t context by k") == "20 2 | 40 8 | 50 9 | ");
    CHECK(bench.given("select roll(x, 4, \"cumvol\"), sum(v) from t context by k") == "2 30 | 4 30 | 9 90 | ");
    CHECK(bench.given("select roll(x, [1 4, 4 10], \"window\") as w, sum(v) from t context by k") == "2 30 | 9 120 | ");
    CHECK(bench.given("select roll(x, 5), msum(v, 2) as s from t context by k") == "5 60 | 10 150 | ");
}

TEST_CASE("what roll cannot be is told") {
    Bench bench;
    bench.run("t = table(1 1 as k, 2 1 as x, 1.5 2.5 as real, 1 2 as v)");
    bench.fails("select roll(x, 5), sum(v) from t context by k", "must not fall within a group");
    bench.fails("select roll(real, 5), sum(v) from t context by k", "must be a column of times or integers");
    bench.fails("select roll(x), sum(v) from t context by k", "roll needs X and step");
    bench.fails("select roll(x, 0), sum(v) from t context by k csort x", "step must be positive");
    bench.fails("select roll(x, 5, \"days\"), sum(v) from t context by k", "stepType must be one of");
    bench.fails("select roll(x, 5), sum(v) from t context by k limit 1", "do not go with roll");
    bench.fails("select roll(x, 5), sum(v) from t context by k having v > 1", "do not go with roll");
    bench.fails("select roll(x, 3, \"window\"), sum(v) from t context by k csort x", "starts and the ends");
}

// Drawn rising numbers, steps, sides, origins and fillings, against windows that are filled row by row.
TEST_CASE("steps of equal length hold the rows that C++ puts into them, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
    Bench bench;
    int steps = 0, empty = 0;
    for (int n = 0; n < 800; ++n) {
        struct Row {
            int64_t key, x, v;
        };
        std::map<int64_t, std::vector<Row>> groups;
        const int64_t count = 1 + below(25);
        const Ref<Vector> keys = Vector::make(Type::Int, count), xs = Vector::make(Type::Int, count),
                          vs = Vector::make(Type::Int, count);
        int64_t x = below(20) - 10;
        for (int64_t i = 0; i < count; ++i) {
            const Row row{below(2), x += below(7), below(100)};
            groups[row.key].push_back(row);
            keys->set(i, Value::ofInt(static_cast<int32_t>(row.key)));
            xs->set(i, Value::ofInt(static_cast<int32_t>(row.x)));
            vs->set(i, Value::ofInt(static_cast<int32_t>(row.v)));
        }
        auto table = makeRef<MemoryTable>();
        table->setColumn("k", Value::of(keys));
        table->setColumn("x", Value::of(xs));
        table->setColumn("v", Value::of(vs));
        bench.session->setVariable("t", Value::of(Ref<Table>(table)));
        const int64_t step = 1 + below(9);
        const bool closedRight = below(2) == 1, fromStart = below(2) == 1;
        const std::string fill = std::vector<std::string>{"none", "null", "prev"}[static_cast<size_t>(below(3))];
        std::vector<std::vector<Item>> wanted;
        for (const auto& [key, rows] : groups) {
            const int64_t origin = fromStart ? rows[0].x : 0;
            // A row is in the step that begins below it (or at it), and ends at it or behind.
            const auto isIn = [&](const Row& row, int64_t low) {
                return closedRight ? row.x > low && row.x <= low + step : row.x >= low && row.x < low + step;
            };
            int64_t low = origin;
            while (!isIn(rows[0], low)) low += rows[0].x > low ? step : -step;
            for (; low <= rows.back().x; low += step) {
                std::vector<Item> cells = {low + step, Item(), Item()};
                int64_t sum = 0;
                for (const Row& row : rows) {
                    if (!isIn(row, low)) continue;
                    cells = {low + step, sum += row.v, row.x};
                }
                const bool isLast = isIn(rows.back(), low);
                const bool isEmpty = !cells[2];
                ++steps;
                empty += isEmpty;
                if (isEmpty && fill == "prev") cells = {low + step, wanted.back()[1], wanted.back()[2]};
                if (!isEmpty || fill != "none") wanted.push_back(cells);
                if (isLast) break;
            }
        }
        const std::string string = "select roll(x, " + std::to_string(step) + ", fill=\"" + fill + "\", closed=\"" +
                                   (closedRight ? "right" : "left") + "\", origin=\"" +
                                   (fromStart ? "start" : "epoch") + "\"), sum(v), last(x) from t context by k";
        INFO(string << " of k " << display(table->column(0)) << " x " << display(table->column(1)));
        CHECK(toString(itemsOfRows(*rowsOf(bench.answer(string)))) == toString(wanted));
    }
    CHECK(steps > 3000);
    CHECK(empty > 100);
}
