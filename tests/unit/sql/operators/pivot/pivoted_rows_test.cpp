// pivot by puts each value into the row and the column of its keys, and loses none.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    std::string names(const MemoryTable& rows) {
        std::string all;
        for (const ColumnSchema& column : rows.columns()) all += column.name + " ";
        return all;
    }
    std::string names(const std::string& string) { return names(*rowsOf(answer(string))); }
};

}  // namespace

TEST_CASE("columns are called as their keys, those of several items with the item in front") {
    Bench bench;
    bench.run("t = table(1 2 1 2 as k, `a`b``a as s, 1 2 3 4 as v, 2024.01M 2024.02M 2024.01M 2024.01M as m)");
    CHECK(bench.names("select sum(v) from t pivot by k, s") == "k NULL a b ");
    CHECK(bench.given("select sum(v) from t pivot by k, s") == "1 3 1 - | 2 - 4 2 | ");
    CHECK(bench.names("select sum(v) as n, max(v) as top from t pivot by k, s") ==
          "k n_NULL n_a n_b top_NULL top_a top_b ");
    CHECK(bench.names("select sum(v) from t pivot by s, k") == "s 1 2 ");
    CHECK(bench.names("select sum(v) from t pivot by k as key, m, s") == "key m NULL a b ");
    CHECK(bench.names("select sum(v) from t where v > 9 pivot by k, s") == "k ");
}

TEST_CASE("a column whose key is called as another column stands beside it") {
    Bench bench;
    bench.run("t = table(1 2 1 2 as k, `a`k`k`a as s, 1 2 3 4 as v)");
    CHECK(bench.names("select sum(v) from t pivot by k, s") == "k a k_1 ");
    CHECK(bench.given("select sum(v) from t pivot by k, s") == "1 1 3 | 2 4 2 | ");
    bench.run("t = table(1 1 as k, [\"NULL\", \"\"] as s, 5 6 as v)");
    CHECK(bench.names("select sum(v) from t pivot by k, s") == "k NULL NULL_1 ");
    CHECK(bench.given("select sum(v) from t pivot by k, s") == "1 6 5 | ");
}

TEST_CASE("a function of whole rows leaves one column, however many there were") {
    Bench bench;
    bench.run("t = table(1 1 2 2 as k, `a`b`a`b as s, 1 2 3 4 as v)");
    CHECK(bench.names("select rowSum(v) from t pivot by k, s") == "k rowSum ");
    CHECK(bench.given("select rowSum(v) from t pivot by k, s") == "1 3 | 2 7 | ");
    CHECK(bench.names("select rowSum(v) as total from t pivot by k, s") == "k total ");
    CHECK(bench.shownAnswer("exec rowSum(v) from t pivot by k, s") == "[3,7]");
    bench.run("t = select * from t where s == `a");
    CHECK(bench.names("select rowSum(v) from t pivot by k, s") == "k rowSum ");
    CHECK(bench.given("select rowSum(v) from t pivot by k, s") == "1 1 | 2 3 | ");
    CHECK(bench.shownAnswer("exec rowSum(v) from t pivot by k, s") == "[1,3]");
    CHECK(bench.names("select ffill(rowSum(v)) as filled from t pivot by k, s") == "k filled ");
    CHECK(bench.names("select ffill(v) from t pivot by k, s") == "k a ");
    CHECK(bench.answer("exec v from t pivot by k, s").isMatrix());
}

TEST_CASE("what cannot be pivoted is refused") {
    Bench bench;
    bench.run("t = table(1 2 as k, `a`b as s, 1 2 as v)");
    const auto fails = [&](const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(bench.answer(string), Catch::Contains(told));
    };
    fails("select v from t pivot by k", "needs at least two columns");
    fails("select top 1 v from t pivot by k, s", "can't be used with pivot by");
    fails("select v from t pivot by k, s limit 1", "can't be used with pivot by");
    fails("exec v from t pivot by k, v, s", "takes one column of row keys");
    fails("select distinct v from t pivot by k, s", "S02055");
}

// Drawn keys, values and conditions, in memory and in partitions.
TEST_CASE("each item stands in the row and the column of its keys, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int full = 0, empty = 0;
    for (int n = 0; n < 500; ++n) {
        DrawnRows rows = drawnRows(random() % 50, random);
        bench.session->setVariable("m", Value::of(Ref<Table>(tableOf(rows))));
        bench.share("t", "m", "place", "0 13 14 30 1000", 5);
        const size_t row = random() % 4, column = (row + 1 + random() % 3) % 4, item = random() % 3;
        const DrawnColumn &rowKey = drawnColumns()[row], &columnKey = drawnColumns()[column];
        const DrawnCondition& condition = drawnConditions()[random() % drawnConditions().size()];
        const bool filtered = random() % 2 == 1;
        if (filtered) std::erase_if(rows, [&](const DrawnRow& r) { return !condition.holds(r); });
        std::set<Item> columns;
        std::map<Item, std::map<Item, int64_t>> cells;
        for (const DrawnRow& r : rows) {
            columns.insert(columnKey.of(r));
            int64_t& cell = cells[rowKey.of(r)].try_emplace(columnKey.of(r), 0).first->second;
            // The sum, the number of rows, or the last row.
            cell = item == 0 ? cell + r.place : item == 1 ? cell + 1 : r.place;
        }
        std::vector<std::vector<Item>> wanted;
        for (const auto& [key, own] : cells) {
            wanted.push_back({key});
            for (const Item& c : columns) {
                const auto at = own.find(c);
                wanted.back().push_back(at == own.end() ? Item() : Item(at->second));
                (at == own.end() ? empty : full) += 1;
            }
        }
        static constexpr const char* kItems[] = {"sum(place)", "count(*)", "place"};
        for (const char* table : {"m", "t"}) {
            const std::string string = std::string("select ") + kItems[item] + " from " + table +
                                       (filtered ? std::string(" where ") + condition.string : "") + " pivot by " +
                                       rowKey.name + ", " + columnKey.name;
            INFO(string);
            CHECK(bench.given(string) == toString(wanted));
        }
    }
    CHECK(full > 3000);
    CHECK(empty > 200);
}
