// Each distinct row is returned once, at its first occurrence, however its source is cut into pieces.
#include "sql/operators/distinct_sink.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "sql/operators/distinct_rows.h"
#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    explicit Bench(const DrawnRows& rows, const std::string& ranges = "0 13 14 40 1000", int64_t rowsOfBlock = 5) {
        take(rows, ranges, rowsOfBlock);
    }
};

DrawnRows someRows(int64_t count = 60) {
    std::mt19937 random(5);
    return drawnRows(count, random);
}

}  // namespace

TEST_CASE("different rows come in the order of the source, each where it stands first") {
    Bench bench(someRows(0));
    bench.run("t = table(3 1 3 2 1 as k, `c`a`c`b`x as s)");
    CHECK(bench.shown("exec distinct k from t") == "[3,1,2]");
    const Ref<MemoryTable> rows = rowsOf(bench.answer("select distinct k, s from t"));
    CHECK(display(rows->column(0)) == "[3,1,2,1]");
    CHECK(display(rows->column(1)) == "[\"c\",\"a\",\"b\",\"x\"]");
    CHECK(bench.shown("exec distinct k from t where k > 5") == "[]");
    CHECK(bench.shown("exec distinct 1 from t") == "[1]");
}

TEST_CASE("NULL is one item, NaN another, and zeros are one whatever their sign") {
    Bench bench(someRows(0));
    Ref<Vector> items = Vector::make(Type::Double, 7);
    auto* x = items->mutableData<double>();
    x[0] = 0.0;
    x[1] = std::numeric_limits<double>::quiet_NaN();
    x[2] = -0.0;
    x[4] = std::numeric_limits<double>::quiet_NaN();
    x[5] = std::numeric_limits<double>::infinity();
    items->set(3, Value::nullOf(Type::Double));
    items->set(6, Value::nullOf(Type::Double));
    auto table = makeRef<MemoryTable>();
    table->setColumn("x", Value::of(items));
    bench.session->setVariable("t", Value::of(Ref<Table>(table)));
    const Ref<MemoryTable> rows = rowsOf(bench.answer("select distinct x from t"));
    REQUIRE(rows->rowCount() == 4);
    CHECK(rows->column(0).at(0).asDouble() == 0);
    CHECK(std::isnan(rows->column(0).at(1).asDouble()));
    CHECK(rows->column(0).at(2).isNull());
    CHECK(std::isinf(rows->column(0).at(3).asDouble()));
}

TEST_CASE("of rows that are there the first columns decide, and the others come from the first row") {
    auto rows = makeRef<MemoryTable>();
    rows->setColumn("a", Value::of(Vector::of(Type::Int, std::vector<int32_t>{1, 2, 1, 2, 3})));
    rows->setColumn("b", Value::of(Vector::of(Type::Int, std::vector<int32_t>{5, 6, 7, 8, 9})));
    const auto given = [&](int keys, int64_t needed) {
        return toString(itemsOfRows(*distinctRows(Ref<MemoryTable>(rows), keys, needed)));
    };
    CHECK(given(1, INT64_MAX) == "1 5 | 2 6 | 3 9 | ");
    CHECK(given(2, INT64_MAX) == "1 5 | 2 6 | 1 7 | 2 8 | 3 9 | ");
    CHECK(given(1, 2) == "1 5 | 2 6 | ");
    CHECK(given(1, 0).empty());
    // If all rows differ they are not copied.
    CHECK(distinctRows(Ref<MemoryTable>(rows), 2, INT64_MAX).get() == rows.get());
}

TEST_CASE("lists are not compared, and the error names their column") {
    Bench bench(someRows(0));
    bench.run("t = table((1 2, 3, 1 2) as pieces, 1 1 1 as k)");
    CHECK_THROWS_WITH(bench.answer("select distinct pieces from t"), Catch::Contains("pieces holds lists"));
    CHECK(bench.shown("exec distinct k from t") == "[1]");
}

TEST_CASE("an order by a column that is not shown does not tell rows apart") {
    Bench bench(someRows());
    CHECK(bench.given("select distinct few from m order by place") == bench.given("select distinct few from m"));
    CHECK(bench.given("select distinct few from t order by place") == bench.given("select distinct few from m"));
    CHECK(rowsOf(bench.answer("select distinct few from t order by place desc"))->rowCount() ==
          rowsOf(bench.answer("select distinct few from t"))->rowCount());
    CHECK(rowsOf(bench.answer("select distinct few from t order by place"))->columnCount() == 1);
}

TEST_CASE("what follows enough different rows of a morsel is not read") {
    Bench bench(someRows(40), "0 1000");  // one morsel, of eight blocks
    const auto& t = static_cast<const PartitionsInMemory&>(bench.run("t").table());
    const auto blocks = [&](const std::string& string) {
        t.counts.blocks = 0;
        bench.answer(string);
        return t.counts.blocks.load();
    };
    CHECK(blocks("select distinct place from t") == 8);
    CHECK(blocks("select distinct place from t limit 10") == 2);
    CHECK(blocks("select distinct place from t limit 11") == 3);
    CHECK(blocks("select distinct place % 3 as r from t limit 4") == 8);
    CHECK(blocks("select distinct place from t order by place limit 10") > 2);
}

TEST_CASE("unions keep each row once, unless all are wanted") {
    Bench bench(someRows(0));
    bench.run("a = table(1 2 2 as k)\nb = table(2 3 as k)");
    CHECK(bench.given("(select k from a) union all (select k from b)") == "1 | 2 | 2 | 2 | 3 | ");
    CHECK(bench.given("(select k from a) union (select k from b)") == "1 | 2 | 3 | ");
    CHECK(bench.given("(select k from a) union all (select k from b) union (select k from a)") == "1 | 2 | 3 | ");
}

// Drawn rows, columns, conditions and limits, over one table in memory and one in partitions, against a set in C++.
TEST_CASE("different rows are those of a set, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
    int repeated = 0, cut = 0;
    for (int n = 0; n < 1000; ++n) {
        const DrawnRows rows = drawnRows(static_cast<int64_t>(below(80)), random);
        Bench bench(rows);
        std::vector<const DrawnColumn*> columns;
        std::string items;
        for (const DrawnColumn& column : drawnColumns()) {
            if (below(2)) continue;
            columns.push_back(&column);
            items += (items.empty() ? "" : ", ") + std::string(column.name);
        }
        if (columns.empty()) continue;
        const DrawnCondition& condition = drawnConditions()[below(drawnConditions().size())];
        const bool filtered = below(2) == 0, limited = below(2) == 0;
        const size_t limit = below(12);
        std::set<std::vector<Item>> seen;
        std::vector<std::vector<Item>> wanted;
        for (const DrawnRow& row : rows) {
            if (filtered && !condition.holds(row)) continue;
            std::vector<Item> one;
            for (const DrawnColumn* column : columns) one.push_back(column->of(row));
            if (!seen.insert(one).second) {
                ++repeated;
            } else if (!limited || wanted.size() < limit) {
                wanted.push_back(one);
            } else {
                ++cut;
            }
        }
        for (const char* table : {"m", "t"}) {
            const std::string string = "select distinct " + items + " from " + table +
                                       (filtered ? std::string(" where ") + condition.string : "") +
                                       (limited ? " limit " + std::to_string(limit) : "");
            INFO(string);
            CHECK(bench.given(string) == toString(wanted));
        }
    }
    CHECK(repeated > 100);
    CHECK(cut > 100);
}

// Rows of several morsels: each finds distinct rows, and a row found by several comes from the first.
TEST_CASE("different rows of many morsels stand in the order of all rows") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    constexpr int64_t kRows = 1'300'000;
    Ref<Vector> key = Vector::make(Type::Int, kRows);
    auto* items = key->mutableData<int32_t>();
    std::vector<int64_t> firsts;
    std::vector<bool> seen(50'000);
    for (int64_t i = 0; i < kRows; ++i) {
        items[i] = static_cast<int32_t>(random() % (i < kRows / 2 ? 20'000 : 50'000));
        if (seen[static_cast<size_t>(items[i])]) continue;
        seen[static_cast<size_t>(items[i])] = true;
        firsts.push_back(items[i]);
    }
    Bench bench(someRows(0));
    auto table = makeRef<MemoryTable>();
    table->setColumn("k", Value::of(key));
    bench.session->setVariable("large", Value::of(Ref<Table>(table)));
    for (const size_t limit : {size_t{0}, size_t{1}, size_t{19'000}, size_t{30'000}, size_t{100'000}}) {
        const Ref<MemoryTable> rows =
            rowsOf(bench.answer("select distinct k from large limit " + std::to_string(limit)));
        const size_t count = std::min(limit, firsts.size());
        REQUIRE(rows->rowCount() == static_cast<int64_t>(count));
        for (size_t i = 0; i < count; ++i) REQUIRE(rows->column(0).vector().data<int32_t>()[i] == firsts[i]);
    }
    CHECK(firsts.size() > 30'000);
}
