// Joins give the pairs of rows that C++ finds by looking at all of them.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    std::string given(const std::string& string) { return toString(itemsOfRows(*rowsOf(answer(string)))); }
    // Columns k, s, at and the row's number, called so.
    void share(const std::string& name, const DrawnRows& rows, const std::string& number) {
        const Ref<MemoryTable> all = tableOf(rows);
        auto table = makeRef<MemoryTable>();
        table->setColumn("k", all->column(1));
        table->setColumn("s", all->column(3));
        table->setColumn("at", all->column(4));
        table->setColumn(number, all->column(0));
        table->name = name;
        session->setVariable(name, Value::of(Ref<Table>(table)));
    }
};

using Rows = std::vector<std::vector<Item>>;

bool match(const DrawnRow& a, const DrawnRow& b, bool byName) {
    return a.few && a.few == b.few && (!byName || (a.name && a.name == b.name));
}

}  // namespace

TEST_CASE("a key that is NULL matches nothing, of whatever type and however many keys") {
    Bench bench;
    bench.run("l = table(1 00i 2 as k, `a``b as s, 1 2 3 as x)\nr = table(00i 1 2 as k, ``a`b as s, 10 20 30 as y)");
    for (const char* keys : {"`k", "`s", "`k`s"}) {
        INFO(keys);
        const std::string of = std::string("(l, r, ") + keys + ")";
        CHECK(bench.given("select x, y from ej" + of) == "1 20 | 3 30 | ");
        CHECK(bench.given("select x, y from lj" + of) == "1 20 | 2 - | 3 30 | ");
        CHECK(bench.given("select x, y from fj" + of) == "1 20 | 2 - | 3 30 | - 10 | ");
    }
}

TEST_CASE("keys of other widths and of times are compared as values") {
    Bench bench;
    bench.run(
        "l = table(1 2 3 as k, 1 2 3 as x)\nr = table(2l 3l 5000000000l as k, 20 30 40 as y)\n"
        "d = table(2024.01.01 2024.01.02 as k, 1 2 as x)\n"
        "at = table(2024.01.02T00:00:00 2024.01.02T00:00:01 as k, 10 20 as y)");
    CHECK(bench.given("select x, y from ej(l, r, `k)") == "2 20 | 3 30 | ");
    CHECK(bench.given("select x, y from ej(r, l, `k)") == "2 20 | 3 30 | ");
    CHECK(bench.given("select x, y from ej(d, at, `k)") == "2 10 | ");
    CHECK_THROWS_WITH(bench.run("ej(l, d, `k)"), Catch::Contains("The key k is INT on one side of the join and DATE"));
    CHECK_THROWS_WITH(bench.run("ej(l, r, `q)"), Catch::Contains("has no column q"));
}

// Likewise a right row whose time is unknown is not the last one before a left row.
TEST_CASE("rows without a time are in no window") {
    Bench bench;
    bench.run("l = table(00i 5 9 as at, 1 2 3 as x)\nr = table(00i 00i 4 8 20 as at, 1 2 4 8 16 as y)");
    CHECK(bench.given("select x, y from aj(l, r, `at)") == "1 - | 2 4 | 3 8 | ");
    CHECK(bench.given("select x, s from wj(l, r, -100:100, <sum(y) as s>, `at)") == "1 - | 2 28 | 3 28 | ");
    CHECK(bench.given("select x, s from pwj(l, r, -100:100, <sum(y) as s>, `at)") == "1 - | 2 28 | 3 28 | ");
    CHECK(bench.given("select x, s from wj(l, r, 0:0, <sum(y) as s>, `at)") == "1 - | 2 4 | 3 8 | ");
    CHECK(bench.given("select x, n from pwj(l, r, -1:0, <count(y) as n>, `at)") == "1 - | 2 1 | 3 1 | ");
    CHECK(bench.given("select x, s from pwj(table(2 as at, 1 as x), r, -1:0, <sum(y) as s>, `at)") == "1 - | ");
}

TEST_CASE("a window that ends before it begins has no rows, and one must be a pair") {
    Bench bench;
    bench.run("l = table(5 9 as at, 2 3 as x)\nr = table(4 8 20 as at, 4 8 16 as y)");
    CHECK(bench.given("select x, s from wj(l, r, 3:1, <sum(y) as s>, `at)") == "2 - | 3 - | ");
    CHECK_THROWS_WITH(bench.run("wj(l, r, 3, <sum(y) as s>, `at)"), Catch::Contains("must be a pair"));
    CHECK_THROWS_WITH(bench.run("wj(l, r, 1.5:2.5, <sum(y) as s>, `at)"), Catch::Contains("must be a pair"));
    CHECK_THROWS_WITH(bench.run("wj(l, r, 0:1, <q>, `at)"), Catch::Contains("Unrecognized column name [q]"));
}

// Drawn tables and keys, each kind of join, against two loops.
TEST_CASE("equal keys join the rows that two loops join, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int pairs = 0, alone = 0;
    for (int n = 0; n < 500; ++n) {
        const DrawnRows left = drawnRows(random() % 25, random), right = drawnRows(random() % 25, random);
        bench.share("l", left, "x");
        bench.share("r", right, "y");
        const bool byName = random() % 2 == 1;
        Rows inner, leftAll, firsts, full, rightAll;
        for (const DrawnRow& a : left) {
            size_t found = 0;
            for (const DrawnRow& b : right) {
                if (!match(a, b, byName)) continue;
                inner.push_back({a.place, b.place});
                leftAll.push_back({a.place, b.place});
                if (found++ == 0) firsts.push_back({a.place, b.place});
            }
            if (found > 0) continue;
            leftAll.push_back({a.place, Item()});
            firsts.push_back({a.place, Item()});
            ++alone;
        }
        full = leftAll;
        for (const DrawnRow& b : right) {
            bool found = false;
            for (const DrawnRow& a : left) {
                if (!match(a, b, byName)) continue;
                rightAll.push_back({a.place, b.place});
                found = true;
            }
            if (found) continue;
            full.push_back({Item(), b.place});
            rightAll.push_back({Item(), b.place});
        }
        pairs += static_cast<int>(inner.size());
        const std::string keys = byName ? "`k`s" : "`k";
        const std::string on = byName ? " on l.k == r.k and l.s == r.s" : " on l.k == r.k";
        INFO(toString(itemsOfRows(*rowsOf(bench.run("l"))))
             << " and " << toString(itemsOfRows(*rowsOf(bench.run("r")))));
        CHECK(bench.given("select x, y from ej(l, r, " + keys + ")") == toString(inner));
        CHECK(bench.given("select x, y from lj(l, r, " + keys + ")") == toString(leftAll));
        CHECK(bench.given("select x, y from lsj(l, r, " + keys + ")") == toString(firsts));
        CHECK(bench.given("select x, y from fj(l, r, " + keys + ")") == toString(full));
        CHECK(bench.given("select x, y from l inner join r" + on) == toString(inner));
        CHECK(bench.given("select x, y from l left join r" + on) == toString(leftAll));
        CHECK(bench.given("select x, y from l right join r" + on) == toString(rightAll));
        CHECK(bench.given("select x, y from l full join r" + on) == toString(full));
        Rows cross;
        for (const DrawnRow& a : left) {
            for (const DrawnRow& b : right) cross.push_back({a.place, b.place});
        }
        CHECK(bench.given("select x, y from cj(l, r)") == toString(cross));
    }
    CHECK(pairs > 1000);
    CHECK(alone > 100);
}

// Keys in narrow and wide ranges, of each width, that occur once and twice: rows of several blocks.
TEST_CASE("joins of many rows are those of two loops, whatever type the key has") {
    std::mt19937 random(7);
    constexpr int kLeft = 300'000, kKeys = 1'000;
    std::vector<int32_t> left(kLeft), right(kKeys), twice;
    for (int32_t& k : left) k = random() % 20 == 0 ? null<int32_t> : static_cast<int32_t>(random() % (kKeys + 100));
    std::iota(right.begin(), right.end(), 0);
    std::shuffle(right.begin(), right.end(), random);
    twice = right;
    twice.insert(twice.end(), right.begin() + 300, right.begin() + 500);
    twice.push_back(null<int32_t>);
    Bench bench;
    const auto share = [&](const char* name, const std::vector<int32_t>& keys) {
        bench.session->setVariable(name, Value::of(Vector::of(Type::Int, keys)));
    };
    share("a", left);
    const auto pairsOf = [&](const std::string& query) {
        const Ref<MemoryTable> rows = rowsOf(bench.answer(query));
        std::vector<std::pair<int64_t, int64_t>> pairs;
        for (int64_t i = 0; i < rows->rowCount(); ++i)
            pairs.emplace_back(rows->column(0).vector().asLong(i), rows->column(1).vector().asLong(i));
        return pairs;
    };
    for (const std::vector<int32_t>& keys : {right, twice}) {
        share("b", keys);
        std::map<int32_t, std::vector<int64_t>> rowsOfKey;
        for (size_t r = 0; r < keys.size(); ++r) {
            if (!isNull(keys[r])) rowsOfKey[keys[r]].push_back(static_cast<int64_t>(r));
        }
        std::vector<std::pair<int64_t, int64_t>> inner, outer;
        for (int64_t l = 0; l < kLeft; ++l) {
            const auto found = rowsOfKey.find(left[static_cast<size_t>(l)]);
            if (found == rowsOfKey.end()) {
                outer.emplace_back(l, null<int64_t>);
                continue;
            }
            for (const int64_t r : found->second) {
                inner.emplace_back(l, r);
                outer.emplace_back(l, r);
            }
        }
        REQUIRE(inner.size() > size_t{3} * 65536);
        REQUIRE(outer.size() > inner.size());
        std::map<int64_t, int64_t> sums;
        for (const auto& [l, r] : inner) sums[r % 7] += l;
        for (const char* key : {"short({})", "{}", "long({})", "1000000007l * {}", "timestamp({})", "double({})",
                                "string({})", "symbol(string({}))"}) {
            INFO(key << ", " << keys.size() << " right rows");
            bench.run(fmt::format("l = table({} as k, long(0..299999) as x)", fmt::format(fmt::runtime(key), "a")));
            bench.run(
                fmt::format("r = table({} as k, long(0..(size(b) - 1)) as y)", fmt::format(fmt::runtime(key), "b")));
            CHECK(pairsOf("select x, y from ej(l, r, `k)") == inner);
            CHECK(pairsOf("select x, y from lj(l, r, `k)") == outer);
            CHECK(pairsOf("select x, y from r right join l on l.k == r.k") == outer);
            CHECK(
                pairsOf("select y, x from l inner join r on l.k == r.k where x >= 131000 order by x limit 1").size() ==
                1);
            const auto grouped = pairsOf("select y % 7 as g, sum(x) as s from ej(l, r, `k) group by y % 7");
            CHECK(grouped == std::vector<std::pair<int64_t, int64_t>>(sums.begin(), sums.end()));
            CHECK(pairsOf("select sum(x) as s, count(*) as n from ej(l, r, `k) where x % 2 == 1")[0].second ==
                  std::count_if(inner.begin(), inner.end(), [](const auto& pair) { return pair.first % 2 == 1; }));
        }
    }
}

// Right rows unsorted and sorted by their times, with a key in addition to the time and without.
TEST_CASE("the last row before, the first after and the nearest are those of a loop, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int matched = 0, tooFar = 0;
    for (int n = 0; n < 500; ++n) {
        DrawnRows left = drawnRows(random() % 20, random), right = drawnRows(random() % 20, random);
        const bool inOrder = random() % 2 == 1, byKey = random() % 2 == 1;
        const auto byTime = [](const DrawnRow& a, const DrawnRow& b) { return a.wide < b.wide; };
        if (inOrder) {
            std::stable_sort(left.begin(), left.end(), byTime);
            std::stable_sort(right.begin(), right.end(), byTime);
        }
        bench.share("l", left, "x");
        bench.share("r", right, "y");
        const int64_t tolerance = random() % 2 ? static_cast<int64_t>(random() % 6) : INT64_MAX;
        const std::string bound = tolerance == INT64_MAX ? "" : ", " + std::to_string(tolerance * kWide) + "l";
        for (const char* direction : {"backward", "forward", "nearest"}) {
            Rows wanted;
            for (const DrawnRow& a : left) {
                const DrawnRow *before = nullptr, *after = nullptr;
                for (const DrawnRow& b : right) {
                    if (!a.wide || !b.wide || (byKey && !match(a, b, false))) continue;
                    // If several have one time, the last before and the first after.
                    if (*b.wide <= *a.wide && (!before || *b.wide >= *before->wide)) before = &b;
                    if (*b.wide >= *a.wide && (!after || *b.wide < *after->wide)) after = &b;
                }
                const auto far = [&](const DrawnRow* b) {
                    if (b == nullptr || std::abs(*b->wide - *a.wide) <= tolerance) return false;
                    ++tooFar;
                    return true;
                };
                if (far(before)) before = nullptr;
                if (far(after)) after = nullptr;
                const DrawnRow* found = before;
                if (direction == std::string("forward")) found = after;
                if (direction == std::string("nearest") && after != nullptr &&
                    (before == nullptr || *after->wide - *a.wide < *a.wide - *before->wide))
                    found = after;
                wanted.push_back({a.place, found ? Item(found->place) : Item()});
                matched += found != nullptr;
            }
            const std::string string = std::string("select x, y from aj(l, r, ") + (byKey ? "`k`at" : "`at") +
                                       ", , \"" + direction + "\"" + bound + ")";
            INFO(string << " of " << toString(itemsOfRows(*rowsOf(bench.run("l")))) << " and "
                        << toString(itemsOfRows(*rowsOf(bench.run("r")))));
            CHECK(bench.given(string) == toString(wanted));
        }
    }
    CHECK(matched > 1000);
    CHECK(tooFar > 100);
}

TEST_CASE("windows around rows and since the row before hold what a loop finds, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int64_t held = 0, empty = 0;
    for (int n = 0; n < 600; ++n) {
        // Some with so many rows that sums come from prefixes and min from a pyramid.
        const DrawnRows left = drawnRows(random() % 30, random);
        const DrawnRows right = drawnRows(random() % (n % 10 == 0 ? 1500 : 40), random);
        bench.share("l", left, "x");
        bench.share("r", right, "y");
        const bool byKey = random() % 2 == 1, prevailing = random() % 2 == 1, since = random() % 4 == 0;
        const int64_t low = since ? 0 : static_cast<int64_t>(random() % 20) - 12;
        const int64_t high = since ? 0 : low + static_cast<int64_t>(random() % 14) - 2;
        if (!since && low == 0 && high == 0) continue;
        Rows wanted;
        std::map<Item, Item> previous;
        for (const DrawnRow& a : left) {
            // In the order of their times, those of one time as they stand.
            DrawnRows group, window;
            for (const DrawnRow& b : right) {
                if (a.wide && b.wide && (!byKey || match(a, b, false))) group.push_back(b);
            }
            std::stable_sort(group.begin(), group.end(),
                             [](const DrawnRow& b, const DrawnRow& c) { return b.wide < c.wide; });
            const Item key = byKey ? a.few : Item();
            const bool hasKey = !byKey || a.few;
            if (a.wide && hasKey && since) {
                for (const DrawnRow& b : group) {
                    if (*b.wide < *a.wide && (!previous[key] || *b.wide >= *previous[key])) window.push_back(b);
                }
                // Groups that the right side lacks have no row before, either.
                previous[key] = a.wide;
            } else if (a.wide && hasKey) {
                const DrawnRow* before = nullptr;
                bool atStart = false;
                for (const DrawnRow& b : group) {
                    if (*b.wide < *a.wide + low) before = &b;
                    atStart = atStart || *b.wide == *a.wide + low;
                    if (*b.wide >= *a.wide + low && *b.wide <= *a.wide + high) window.push_back(b);
                }
                if (prevailing && low <= high) {
                    if (!atStart && before != nullptr) {
                        window.insert(window.begin(), *before);
                    } else if (atStart) {
                        // If several are at the start, only the last.
                        while (window.size() > 1 && window[1].wide == Item(*a.wide + low)) window.erase(window.begin());
                    }
                }
            }
            std::vector<Item> row = {a.place};
            if (window.empty()) {
                row.resize(7);
            } else {
                const auto sum = [](int64_t total, const DrawnRow& b) { return total + b.place; };
                row.push_back(std::accumulate(window.begin(), window.end(), int64_t{0}, sum));
                row.push_back(std::count_if(window.begin(), window.end(), [](const DrawnRow& b) { return b.few; }));
                Item least, most;
                for (const DrawnRow& b : window) {
                    if (b.few) least = least ? std::min(*least, *b.few) : b.few;
                    if (b.few) most = most ? std::max(*most, *b.few) : b.few;
                }
                row.push_back(least);
                row.push_back(most);
                row.push_back(window.front().place);
                row.push_back(window.back().place);
            }
            held += static_cast<int64_t>(window.size());
            empty += window.empty();
            wanted.push_back(row);
        }
        const bool isPrevailing = prevailing && !since;
        // Windows that end before they begin have no rows, whatever was before them.
        if (isPrevailing && low > high) continue;
        const std::string string =
            std::string("select x, s, n, least, most, f, e from ") + (isPrevailing ? "pwj" : "wj") + "(l, r, " +
            std::to_string(low * kWide) + "l:" + std::to_string(high * kWide) +
            "l, <[sum(y) as s, count(r_k) as n, min(r_k) as least, max(r_k) as most, first(y) as f, last(y) as e]>, " +
            (byKey ? "`k`at" : "`at") + ")";
        std::string called = string;
        for (size_t at = called.find("r_k"); at != std::string::npos; at = called.find("r_k"))
            called.replace(at, 3, "k");
        INFO(called << " of " << toString(itemsOfRows(*rowsOf(bench.run("l")))) << " and "
                    << toString(itemsOfRows(*rowsOf(bench.run("select top 40 * from r")))));
        CHECK(bench.given(called) == toString(wanted));
    }
    CHECK(held > 20'000);
    CHECK(empty > 100);
}
