// context by and cgroup by give each row, or each group, what C++ finds in the rows before it.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

using Bench = DrawnBench;

using Group = std::vector<DrawnRow>;

// A function of the rows of a group, with a value for each.
struct RowFunction {
    const char* string;
    std::vector<Item> (*of)(const Group&);
};

std::vector<Item> each(const Group& group, Item (*of)(const Group&, size_t)) {
    std::vector<Item> items;
    for (size_t i = 0; i < group.size(); ++i) items.push_back(of(group, i));
    return items;
}

Item sumOf(const Group& group, size_t count) {
    Item sum;
    for (size_t i = 0; i < count; ++i) {
        if (group[i].few) sum = sum.value_or(0) + *group[i].few;
    }
    return sum;
}

const std::vector<RowFunction>& rowFunctions() {
    static const std::vector<RowFunction> functions = {
        {"place", [](const Group& g) { return each(g, [](const Group& g, size_t i) { return Item(g[i].place); }); }},
        {"half", [](const Group& g) { return each(g, [](const Group& g, size_t i) { return g[i].half; }); }},
        {"name", [](const Group& g) { return each(g, [](const Group& g, size_t i) { return g[i].name; }); }},
        {"few + place",
         [](const Group& g) {
             return each(g, [](const Group& g, size_t i) { return g[i].few ? Item(*g[i].few + g[i].place) : Item(); });
         }},
        {"prev(half)",
         [](const Group& g) { return each(g, [](const Group& g, size_t i) { return i ? g[i - 1].half : Item(); }); }},
        {"next(name)",
         [](const Group& g) {
             return each(g, [](const Group& g, size_t i) { return i + 1 < g.size() ? g[i + 1].name : Item(); });
         }},
        {"deltas(place)",
         [](const Group& g) {
             return each(g, [](const Group& g, size_t i) { return i ? Item(g[i].place - g[i - 1].place) : Item(); });
         }},
        {"sum(few)", [](const Group& g) { return each(g, [](const Group& g, size_t) { return sumOf(g, g.size()); }); }},
        {"count(*)", [](const Group& g) { return each(g, [](const Group& g, size_t) { return Item(g.size()); }); }},
        {"cumsum(place)",
         [](const Group& g) {
             return each(g, [](const Group& g, size_t i) {
                 int64_t sum = 0;
                 for (size_t j = 0; j <= i; ++j) sum += g[j].place;
                 return Item(sum);
             });
         }},
        {"max(place) - place",
         [](const Group& g) {
             return each(g, [](const Group& g, size_t i) {
                 int64_t most = 0;
                 for (const DrawnRow& row : g) most = std::max(most, row.place);
                 return Item(most - g[i].place);
             });
         }},
        {"first(half)", [](const Group& g) { return each(g, [](const Group& g, size_t) { return g[0].half; }); }},
        {"msum(place, 2)",
         [](const Group& g) {
             return each(g, [](const Group& g, size_t i) { return i ? Item(g[i].place + g[i - 1].place) : Item(); });
         }},
    };
    return functions;
}

}  // namespace

TEST_CASE("rows come group by group in the order of the keys, NULL first, and keep their order within") {
    Bench bench;
    bench.run("t = table(2 1 00i 2 1 as k, 1 2 3 4 5 as v)");
    CHECK(bench.given("select k, v from t context by k") == "- 3 | 1 2 | 1 5 | 2 1 | 2 4 | ");
    CHECK(bench.given("select v from t context by k csort v desc") == "3 | 5 | 2 | 4 | 1 | ");
    CHECK(bench.given("select v from t context by k order by v desc") == "5 | 4 | 3 | 2 | 1 | ");
    CHECK(bench.given("select v, cumsum(v) as c from t context by k having count(*) > 1") ==
          "2 2 | 5 7 | 1 1 | 4 5 | ");
    // A limit keeps the order of the table, unless the rows of groups were put into one.
    CHECK(bench.given("select v from t context by k having v > 1 limit 1") == "2 | 3 | 4 | ");
    CHECK(bench.given("select v from t context by k csort v limit 1") == "3 | 2 | 1 | ");
    CHECK(bench.given("select [128] v from t context by k") == "1 | 2 | 3 | 4 | 5 | ");
}

// Drawn keys, functions, orders, limits and conditions.
TEST_CASE("rows of groups have what C++ computes along them, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
    Bench bench;
    int rowsMet = 0, groupsMet = 0, cut = 0;
    for (int n = 0; n < 1200; ++n) {
        DrawnRows rows = drawnRows(static_cast<int64_t>(below(60)), random);
        bench.take(rows);
        std::string tail;
        if (below(2)) {
            const DrawnCondition& condition = drawnConditions()[below(drawnConditions().size())];
            tail = std::string(" where ") + condition.string;
            std::erase_if(rows, [&](const DrawnRow& row) { return !condition.holds(row); });
        }
        const size_t first = below(4);
        std::vector<const DrawnColumn*> keys = {&drawnColumns()[first]};
        if (below(3) == 0) keys.push_back(&drawnColumns()[(first + 1) % 4]);
        tail +=
            std::string(" context by ") + keys[0]->name + (keys.size() > 1 ? std::string(", ") + keys[1]->name : "");
        std::map<std::vector<Item>, Group> groups;
        for (const DrawnRow& row : rows) {
            std::vector<Item> key;
            for (const DrawnColumn* column : keys) key.push_back(column->of(row));
            groups[key].push_back(row);
        }
        const bool sorts = below(3) == 0;
        if (sorts) {
            const DrawnColumn& by = drawnColumns()[below(4)];
            const bool ascending = below(2) == 1;
            tail += std::string(" csort ") + by.name + (ascending ? "" : " desc");
            for (auto& [key, group] : groups) {
                std::stable_sort(group.begin(), group.end(), [&](const DrawnRow& a, const DrawnRow& b) {
                    return ascending ? by.of(a) < by.of(b) : by.of(a) > by.of(b);
                });
            }
        }
        const size_t having = below(4);
        if (having == 0) tail += " having count(*) > 2";
        if (having == 1) tail += " having place % 2 == 0";
        const bool limited = below(3) == 0;
        const int64_t limit = static_cast<int64_t>(below(7)) - 3;
        if (limited) tail += " limit " + std::to_string(limit);
        std::vector<const RowFunction*> functions;
        std::string items;
        for (size_t more = 1 + below(3); more > 0; --more) {
            functions.push_back(&rowFunctions()[below(rowFunctions().size())]);
            items += (items.empty() ? "" : ", ") + std::string(functions.back()->string) + " as a" +
                     std::to_string(functions.size());
        }
        // Each with the row's place in front.
        std::vector<std::vector<Item>> wanted;
        for (const auto& [key, group] : groups) {
            if (having == 0 && group.size() <= 2) continue;
            std::vector<std::vector<Item>> columns, own;
            for (const RowFunction* function : functions) columns.push_back(function->of(group));
            for (size_t i = 0; i < group.size(); ++i) {
                if (having == 1 && group[i].place % 2 != 0) continue;
                own.push_back({group[i].place});
                for (const std::vector<Item>& column : columns) own.back().push_back(column[i]);
            }
            const auto kept = static_cast<size_t>(std::abs(limit));
            if (limited && own.size() > kept) {
                cut += static_cast<int>(own.size() - kept);
                if (limit >= 0) own.resize(kept);
                if (limit < 0) own.erase(own.begin(), own.end() - static_cast<std::ptrdiff_t>(kept));
            }
            wanted.insert(wanted.end(), own.begin(), own.end());
            ++groupsMet;
        }
        if (limited && !sorts) std::sort(wanted.begin(), wanted.end());
        for (std::vector<Item>& row : wanted) row.erase(row.begin());
        rowsMet += static_cast<int>(wanted.size());
        for (const char* table : {"m", "t"}) {
            const std::string string = "select " + items + " from " + table + tail;
            INFO(string);
            CHECK(bench.given(string) == toString(wanted));
        }
    }
    CHECK(rowsMet > 1000);
    CHECK(groupsMet > 3000);
    CHECK(cut > 100);
}

TEST_CASE("cumulative groups hold the rows of the groups before them, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int groupsMet = 0;
    for (int n = 0; n < 500; ++n) {
        DrawnRows rows = drawnRows(static_cast<int64_t>(random() % 50), random);
        bench.take(rows);
        const bool byName = random() % 2 == 1, descending = random() % 2 == 1;
        const DrawnCondition& condition = drawnConditions()[random() % drawnConditions().size()];
        std::erase_if(rows, [&](const DrawnRow& row) { return !condition.holds(row); });
        std::map<Item, std::map<Item, Group>> groups;
        for (const DrawnRow& row : rows) groups[byName ? row.name : Item()][row.few].push_back(row);
        std::vector<std::vector<Item>> wanted;
        for (const auto& [name, own] : groups) {
            int64_t sum = 0, count = 0;
            Item least;
            const auto add = [&](const Item& few, const Group& group) {
                for (const DrawnRow& row : group) {
                    sum += row.place;
                    ++count;
                    if (row.half) least = least ? std::min(*least, *row.half) : row.half;
                }
                std::vector<Item> cells = {few, sum, count, least};
                if (byName) cells.insert(cells.begin(), name);
                wanted.push_back(cells);
            };
            if (descending) {
                for (auto at = own.rbegin(); at != own.rend(); ++at) add(at->first, at->second);
            } else {
                for (const auto& [few, group] : own) add(few, group);
            }
        }
        groupsMet += static_cast<int>(wanted.size());
        for (const char* table : {"m", "t"}) {
            const std::string string =
                std::string("select sum(place), count(*), min(half) from ") + table + " where " + condition.string +
                (byName ? " group by name cgroup by few order by name, few" : " cgroup by few order by few") +
                (descending ? " desc" : "");
            INFO(string);
            CHECK(bench.given(string) == toString(wanted));
        }
    }
    CHECK(groupsMet > 2000);
}
