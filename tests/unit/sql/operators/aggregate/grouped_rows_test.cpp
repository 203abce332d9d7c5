// Groups by keys give what C++ finds by going through the rows: in memory, in partitions, and where groups wait on
// disk.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "runtime/memory/broker.h"
#include "runtime/table/spill_file.h"
#include "tests/support/drawn_bench.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

using Bench = DrawnBench;

using Group = std::vector<DrawnRow>;

// An aggregate in a query, and of the rows of a group.
struct DrawnAggregate {
    const char* string;
    Item (*of)(const Group&);
};

template <class F>
Item folded(const Group& group, Item (*column)(const DrawnRow&), F combine) {
    Item result;
    for (const DrawnRow& row : group) {
        const Item item = column(row);
        if (item) result = result ? combine(*result, *item) : *item;
    }
    return result;
}
Item few(const DrawnRow& row) {
    return row.few;
}
Item half(const DrawnRow& row) {
    return row.half;
}
Item wide(const DrawnRow& row) {
    return row.wide;
}
int64_t least(int64_t a, int64_t b) {
    return std::min(a, b);
}
int64_t most(int64_t a, int64_t b) {
    return std::max(a, b);
}

const std::vector<DrawnAggregate>& drawnAggregates() {
    static const std::vector<DrawnAggregate> aggregates = {
        {"count(*)", [](const Group& g) { return Item(g.size()); }},
        {"count(half)", [](const Group& g) { return Item(std::count_if(g.begin(), g.end(), half)); }},
        {"sum(few)", [](const Group& g) { return folded(g, few, std::plus()); }},
        {"sum(half)", [](const Group& g) { return folded(g, half, std::plus()); }},
        {"sum(few + 1000)",
         [](const Group& g) {
             const Item sum = folded(g, few, std::plus());
             return sum ? Item(*sum + 1000 * std::count_if(g.begin(), g.end(), few)) : sum;
         }},
        {"min(half)", [](const Group& g) { return folded(g, half, least); }},
        {"max(half)", [](const Group& g) { return folded(g, half, most); }},
        {"min(wide)", [](const Group& g) { return folded(g, wide, least); }},
        {"max(wide)", [](const Group& g) { return folded(g, wide, most); }},
        {"first(half)", [](const Group& g) { return g.empty() ? Item() : g.front().half; }},
        {"last(few)", [](const Group& g) { return g.empty() ? Item() : g.back().few; }},
        {"min(place)", [](const Group& g) { return g.empty() ? Item() : Item(g.front().place); }},
        {"max(place) - min(place)",
         [](const Group& g) { return g.empty() ? Item() : Item(g.back().place - g.front().place); }},
        {"long(round(avg(few) * count(few)))", [](const Group& g) { return folded(g, few, std::plus()); }},
        {"nunique(few)",
         [](const Group& g) {
             std::set<Item> seen;
             for (const DrawnRow& row : g) seen.insert(row.few);
             return Item(seen.size());
         }},
        {"sum(iif(half > 1, 1, 0))",
         [](const Group& g) {
             return g.empty() ? Item() : Item(std::count_if(g.begin(), g.end(), [](const DrawnRow& row) {
                 return row.half > Item(2);
             }));
         }},
    };
    return aggregates;
}

}  // namespace

TEST_CASE("groups come in the order of their keys, NULL first, and keys stand in front unless they are selected") {
    Bench bench;
    bench.run("t = table(2 1 2 00i 1 as k, `b`a`a``b as s, 1..5 as v)");
    CHECK(bench.shown("select sum(v) from t group by k") == bench.shown("table([00i, 1, 2] as k, 4l 7l 4l as sum_v)"));
    CHECK(bench.shown("select sum(v), k from t group by k") ==
          bench.shown("table(4l 7l 4l as sum_v, [00i, 1, 2] as k)"));
    CHECK(bench.shown("select sum(v) from t where v < 4 group by s, k") ==
          bench.shown("table(`a`a`b as s, 1 2 2 as k, 2l 3l 1l as sum_v)"));
    CHECK(bench.shown("select count(*) as n from t group by k > 1 as large having count(*) > 2") ==
          bench.shown("table([false] as large, [3] as n)"));
}

TEST_CASE("rows of which none passes are one group without keys, and none with them") {
    Bench bench;
    bench.run("t = table(1 2 3 as k, 4 5 6 as v)");
    CHECK(bench.given("select count(*), sum(v), max(v) from t where k > 9") == "0 - - | ");
    CHECK(bench.given("select count(*), sum(v) from t where k > 9 group by k").empty());
    CHECK(bench.given("select count(*) from t where k > 9 having count(*) > 0").empty());
    bench.run("t = table(100:0, `k`v, [INT, INT])");
    CHECK(bench.given("select count(*), sum(v) from t") == "0 - | ");
    CHECK(bench.given("select count(*), sum(v) from t group by k").empty());
}

TEST_CASE("groups that are put in order by aggregates come in the order of their keys where those are equal") {
    Bench bench;
    bench.run("t = table(5 4 3 2 1 1 2 as k, 1 2 1 2 1 1 0 as v)");
    CHECK(bench.given("select sum(v) from t group by k order by sum(v)") == "3 1 | 5 1 | 1 2 | 2 2 | 4 2 | ");
    CHECK(bench.given("select sum(v) as s from t group by k order by s desc limit 3") == "1 2 | 2 2 | 4 2 | ");
    CHECK(bench.given("select sum(v) as s from t group by k order by count(*) desc, s desc limit 3") ==
          "1 2 | 2 2 | 4 2 | ");
    CHECK(bench.given("select top 2 sum(v) as s from t group by k") == "1 2 | 2 2 | ");
}

TEST_CASE("aggregates within aggregates and columns outside of them are refused") {
    Bench bench;
    bench.run("t = table(1 2 3 as k, 4 5 6 as v)");
    CHECK_THROWS_WITH(bench.answer("select sum(max(v)) from t group by k"), Catch::Contains("S02032"));
    CHECK_THROWS_AS(bench.answer("select sum(v), nothing from t group by k"), UserError);
    CHECK_THROWS_WITH(bench.answer("select distinct k from t group by k"), Catch::Contains("S02055"));
}

TEST_CASE("bounds of blocks tell the least, the greatest and the number of items without reading them") {
    Bench bench;
    std::mt19937 random(11);
    bench.take(drawnRows(60, random));
    const auto& t = static_cast<const PartitionsInMemory&>(bench.run("t").table());
    const auto read = [&](const std::string& string) {
        t.counts.blocks = 0;
        const std::string inPartitions = bench.given("select " + string + " from t");
        const int blocks = t.counts.blocks;
        CHECK(inPartitions == bench.given("select " + string + " from m"));
        return blocks;
    };
    CHECK(read("min(few), max(few), count(few), min(wide), max(wide)") == 0);
    CHECK(read("max(half)") > 0);  // NaN and NULL are not told by the bounds of DOUBLE
    CHECK(read("sum(few)") > 0);
    CHECK(read("min(few + 1)") > 0);
    CHECK(read("count(few)") == 0);
}

// Drawn keys, aggregates, conditions, orders and limits.
TEST_CASE("groups hold what C++ finds in their rows, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
    Bench bench;
    size_t groupsMet = 0, left = 0, ordered = 0;
    for (int n = 0; n < 1200; ++n) {
        DrawnRows rows = drawnRows(static_cast<int64_t>(below(80)), random);
        bench.take(rows);
        std::vector<const DrawnColumn*> keys;
        std::string keyList;
        for (const DrawnColumn& column : drawnColumns()) {
            if (below(3)) continue;
            keys.push_back(&column);
            keyList += (keyList.empty() ? "" : ", ") + std::string(column.name);
        }
        std::vector<const DrawnAggregate*> aggregates;
        std::string items;
        for (size_t more = 1 + below(4); more > 0; --more) {
            aggregates.push_back(&drawnAggregates()[below(drawnAggregates().size())]);
            items += (items.empty() ? "" : ", ") + std::string(aggregates.back()->string) + " as a" +
                     std::to_string(aggregates.size());
        }
        std::string tail;
        if (below(2)) {
            const DrawnCondition& condition = drawnConditions()[below(drawnConditions().size())];
            tail = std::string(" where ") + condition.string;
            std::erase_if(rows, [&](const DrawnRow& row) { return !condition.holds(row); });
        }
        std::map<std::vector<Item>, Group> groups;
        if (keys.empty()) groups[{}];
        for (const DrawnRow& row : rows) {
            std::vector<Item> key;
            for (const DrawnColumn* column : keys) key.push_back(column->of(row));
            groups[key].push_back(row);
        }
        if (!keys.empty()) tail += " group by " + keyList;
        if (!keys.empty() && below(3) == 0) {
            tail += " having count(*) > 1";
            left += std::erase_if(groups, [](const auto& group) { return group.second.size() < 2; });
        }
        std::vector<std::vector<Item>> wanted;
        for (const auto& [key, group] : groups) {
            wanted.push_back(key);
            for (const DrawnAggregate* aggregate : aggregates) wanted.back().push_back(aggregate->of(group));
        }
        groupsMet += wanted.size();
        if (!keys.empty() && below(2)) {
            const bool descending = below(2) == 1;
            const size_t by = keys.size() + below(aggregates.size());
            tail += " order by a" + std::to_string(by - keys.size() + 1) + (descending ? " desc" : "");
            std::stable_sort(wanted.begin(), wanted.end(),
                             [&](const auto& a, const auto& b) { return descending ? a[by] > b[by] : a[by] < b[by]; });
            ++ordered;
        }
        if (below(3) == 0) {
            const size_t limit = below(6);
            tail += " limit " + std::to_string(limit);
            if (wanted.size() > limit) wanted.resize(limit);
        }
        for (const char* table : {"m", "t"}) {
            const std::string string = "select " + items + " from " + table + tail;
            INFO(string);
            CHECK(bench.given(string) == toString(wanted));
        }
    }
    CHECK(groupsMet > 1000);
    CHECK(left > 100);
    CHECK(ordered > 200);
}

// Sums, counts and distinct counts of more groups than memory is granted for.
TEST_CASE("groups that wait on disk come back whole") {
    struct SmallGrants {
        SmallGrants() { memory::setLargestGrantBytes(1); }
        ~SmallGrants() { memory::setLargestGrantBytes(0); }
    };
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    constexpr int64_t kRows = 240'000;
    const TemporaryFolder folder;
    Bench bench;
    bench.services.add(std::make_shared<SpillFolder>(folder.path(), FileSystem::posix()));
    const Ref<Vector> key = Vector::make(Type::Long, kRows), item = Vector::make(Type::Int, kRows),
                      place = Vector::make(Type::Int, kRows);
    struct Sums {
        int64_t sum = 0, count = 0;
        std::set<int32_t> seen;
    };
    std::map<int64_t, Sums> groups;
    for (int64_t i = 0; i < kRows; ++i) {
        const int64_t k = static_cast<int64_t>(random() % 60'000) * kWide;
        const auto x = static_cast<int32_t>(random() % 4);
        key->mutableData<int64_t>()[i] = k;
        item->mutableData<int32_t>()[i] = x;
        place->mutableData<int32_t>()[i] = static_cast<int32_t>(i);
        Sums& sums = groups[k];
        sums.sum += x;
        ++sums.count;
        sums.seen.insert(x);
    }
    auto table = makeRef<MemoryTable>();
    table->setColumn("key", Value::of(key));
    table->setColumn("item", Value::of(item));
    table->setColumn("place", Value::of(place));
    bench.session->setVariable("m", Value::of(Ref<Table>(table)));
    bench.share("t", "m", "place", "0 50000 60000 140000 1000000");
    const uint64_t filesBefore = SpillFile::madeCount();
    const auto check = [&] {
        const Ref<MemoryTable> rows =
            rowsOf(bench.answer("select sum(item) as s, count(*) as n, nunique(item) as u from t group by key"));
        REQUIRE(rows->rowCount() == static_cast<int64_t>(groups.size()));
        int64_t r = 0;
        for (const auto& [k, sums] : groups) {
            REQUIRE(rows->column(0).at(r).asLong() == k);
            REQUIRE(rows->column(1).at(r).asLong() == sums.sum);
            REQUIRE(rows->column(2).at(r).asLong() == sums.count);
            REQUIRE(rows->column(3).at(r).asLong() == static_cast<int64_t>(sums.seen.size()));
            ++r;
        }
    };
    check();
    CHECK(SpillFile::madeCount() == filesBefore);
    const SmallGrants small;
    check();
    CHECK(SpillFile::madeCount() > filesBefore);
    CHECK(FileSystem::posix().list(folder.path()).empty());
}
