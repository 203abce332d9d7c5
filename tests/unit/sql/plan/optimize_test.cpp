// Limits are pushed down to operators that may end early, top-N queries run without a sort, and neither changes a
// query's result.
#include <catch2/catch.hpp>
#include <random>

#include "common/error.h"
#include "sql/physical/pipelines.h"
#include "tests/support/drawn_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : DrawnBench {
    explicit Bench(DrawnRows drawn =
                       [] {
                           std::mt19937 random(3);
                           return drawnRows(60, random);
                       }())
        : rows(std::move(drawn)) {
        take(rows, "0 17 20 45 1000", 8);
    }
    std::string kinds(const std::string& string) { return kindsOf(*plan(string)); }
    // How many rows the node of a plan that may end early is asked for; -1 for all.
    template <class Node>
    int64_t needed(const std::string& string) {
        const PlanRef made = plan(string);
        const auto* node = findNode<Node>(*made);
        REQUIRE(node != nullptr);
        return node->needed == INT64_MAX ? -1 : node->needed;
    }
    int64_t topCount(const std::string& string) {
        const PlanRef made = plan(string);
        const auto* node = findNode<TopRowsNode>(*made);
        return node ? node->count : -1;
    }

    DrawnRows rows;
};

}  // namespace

TEST_CASE("every rule keeps the columns and their types") {
    Bench bench;
    const auto columns = [&](const PlanNode& plan) {
        std::string string;
        for (const ColumnSchema& c : plan.schema(bench.context))
            string += c.name + " " + std::string(typeName(c.type)) + " ";
        return string;
    };
    size_t changed = 0;
    for (const char* items :
         {"*", "place, half * 2 as twice", "distinct few", "few, name", "sum(half) as s, count(*)"}) {
        for (const char* tail : {"", " where few > 1", " group by name", " group by few having count(*) > 1"}) {
            for (const char* end : {"", " limit 3", " limit 2, 3", " order by few", " order by few desc limit 4",
                                    " order by half + few limit 5", " limit 0"}) {
                const std::string string = std::string("select ") + items + " from t" + tail + end;
                INFO(string);
                PlanRef plan;
                try {
                    plan = bench.bound(string);
                } catch (const UserError&) {
                    continue;
                }
                for (const PlanRule& rule : planRules()) {
                    INFO(rule.name);
                    const std::string before = columns(*plan), kinds = kindsOf(*plan);
                    plan = rule.apply(std::move(plan));
                    CHECK(columns(*plan) == before);
                    changed += kindsOf(*plan) != kinds;
                }
            }
        }
    }
    CHECK(changed > 5);
}

TEST_CASE("the first rows in an order of columns are found without a sort") {
    Bench bench;
    for (const char* string :
         {"select top 5 * from t order by few", "select place from t order by few limit 5",
          "select place from t where few > 1 order by few desc, half limit 5",
          "select place as p from t order by p limit 5", "select place from t order by few + half limit 5",
          "select place from t order by few nulls last limit 5",
          "select half * 2 as twice from m order by twice limit 5"}) {
        INFO(string);
        CHECK(bench.kinds(string) == "Limit TopRows Scan");
    }
}

TEST_CASE("an order of all rows and of none is a sort, of any other number the first rows") {
    Bench bench;
    CHECK(bench.kinds("select place from t order by few") == "Limit Sort Project Scan");
    CHECK(bench.kinds("select top 0 place from t order by few") == "Limit Sort Project Scan");
    CHECK(bench.kinds("select place from t order by few limit 10000") == "Limit TopRows Scan");
    CHECK(bench.kinds("select place from t order by few limit 10000000") == "Limit TopRows Scan");
    // The rows that are left out in front have to be found, too.
    CHECK(bench.topCount("select place from t order by few limit 9999, 2") == 10001);
}

TEST_CASE("the first rows of what is no row of the source stay a sort") {
    Bench bench;
    CHECK(bench.kinds("select count(*) from t group by few order by few limit 2") == "Limit Sort Aggregate Scan");
    CHECK(bench.kinds("select distinct few from t order by few limit 2") == "Limit Sort Distinct Project Scan");
    CHECK(bench.kinds("select cumsum(place) as c from t order by c limit 2") == "Limit Sort Collect Scan");
    CHECK(bench.kinds("select sum(place) as s from t order by s limit 2") == "Limit Aggregate Scan");
    // An output column under a name that the order computes with.
    CHECK(bench.kinds("select place * 2 as p from t order by p + 1 limit 2") == "Limit Sort Project Scan");
}

TEST_CASE("a limit says how many rows what stands below it gives, those in front included") {
    Bench bench;
    CHECK(bench.topCount("select place from t order by few limit 5") == 5);
    CHECK(bench.topCount("select place from t order by few limit 3, 5") == 8);
    CHECK(bench.topCount("select top 2:7 place from t order by few") == 7);
    CHECK(bench.needed<ProjectNode>("select place from t limit 5") == 5);
    CHECK(bench.needed<ProjectNode>("select place from t limit 3, 5") == 8);
    CHECK(bench.needed<ProjectNode>("select top 3:3 place from t") == 3);
    CHECK(bench.needed<ProjectNode>("select place from t") == -1);
    CHECK(bench.needed<ProjectNode>("select place from t limit 0") == 0);
    CHECK(bench.needed<SortNode>("select count(*) from t group by few order by few limit 2") == 2);
    CHECK(bench.needed<DistinctNode>("select distinct few from t limit 2") == 2);
    // Neither a limit before the order nor one before the different rows were the same query.
    CHECK(bench.needed<DistinctNode>("select distinct few from t order by few limit 2") == -1);
    CHECK(bench.needed<ProjectNode>("select distinct few from t limit 2") == -1);
}

TEST_CASE("a limit without an order leaves partitions behind it closed, and one with it leaves blocks unread") {
    Bench bench;
    const PartitionsInMemory& t = static_cast<const PartitionsInMemory&>(bench.run("t").table());
    const auto read = [&](const std::string& string) {
        t.counts.opened = t.counts.blocks = 0;
        bench.answer(string);
        return std::pair(t.counts.opened.load(), t.counts.blocks.load());
    };
    CHECK(read("select place from t limit 17") == std::pair(1, 3));
    CHECK(read("select place from t limit 18").first == 2);
    CHECK(read("select place from t limit 16, 4") == std::pair(2, 4));
    CHECK(read("select place from t limit 0").second == 0);
    // Two columns of ten blocks, where the bounds of the key tell that most hold none of the first rows.
    CHECK(read("select place, half from t").second == 2 * 10);
    CHECK(read("select half from t order by place limit 3").second < 10);
}

// Random selects, as the plan that was bound, as the better one, and by hand.
TEST_CASE("the better plan gives the rows of the bound one, and those that C++ finds") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
    int topped = 0, cut = 0, given = 0;
    for (int n = 0; n < 1500; ++n) {
        Bench bench(drawnRows(static_cast<int64_t>(1 + below(70)), random));
        DrawnRows expected = bench.rows;
        std::string where;
        for (size_t more = below(3); more > 0; --more) {
            const DrawnCondition& condition = drawnConditions()[below(drawnConditions().size())];
            where += (where.empty() ? " where (" : below(2) ? "), (" : ") and (") + std::string(condition.string);
            std::erase_if(expected, [&](const DrawnRow& row) { return !condition.holds(row); });
        }
        if (!where.empty()) where += ")";
        std::string order;
        struct Key {
            const DrawnColumn* column;
            bool ascending, nullsFirst;
        };
        std::vector<Key> keys;
        for (size_t more = below(4); more > 0; --more) {
            const DrawnColumn& column = drawnColumns()[below(drawnColumns().size())];
            const bool ascending = below(2) == 0;
            const size_t nulls = below(3);
            keys.push_back({&column, ascending, nulls == 0 ? ascending : nulls == 1});
            order += (order.empty() ? " order by " : ", ") + std::string(column.name) + (ascending ? "" : " desc") +
                     (nulls == 0   ? ""
                      : nulls == 1 ? " nulls first"
                                   : " nulls last");
        }
        std::stable_sort(expected.begin(), expected.end(), [&](const DrawnRow& a, const DrawnRow& b) {
            for (const Key& key : keys) {
                const Item x = key.column->of(a), y = key.column->of(b);
                if (x == y) continue;
                if (!x || !y) return key.nullsFirst == !x;
                return key.ascending ? x < y : x > y;
            }
            return false;
        });
        const size_t begin = below(3) ? 0 : below(20), count = below(4) ? below(25) : 1000;
        const bool isCut = below(5) > 0;
        const std::string limit =
            isCut ? " limit " + (begin > 0 ? std::to_string(begin) + ", " : "") + std::to_string(count) : "";
        std::vector<std::vector<Item>> wanted;
        for (size_t r = isCut ? begin : 0; r < expected.size() && (!isCut || r < begin + count); ++r)
            wanted.push_back({expected[r].place, expected[r].half, expected[r].name});
        for (const char* table : {"m", "t"}) {
            const std::string string = "select place, half, name from " + std::string(table) + where + order + limit;
            INFO(string);
            const PlanRef better = bench.plan(string);
            topped += findNode<TopRowsNode>(*better) != nullptr;
            const auto rows = itemsOfRows(*runPipelines(*better, bench.context).rows);
            CHECK(toString(rows) == toString(wanted));
            CHECK(toString(itemsOfRows(*runPipelines(*bench.bound(string), bench.context).rows)) == toString(wanted));
        }
        cut += isCut && wanted.size() == count;
        given += static_cast<int>(wanted.size());
    }
    CHECK(topped > 300);
    CHECK(cut > 200);
    CHECK(given > 5000);
}
