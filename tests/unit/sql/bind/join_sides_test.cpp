// Pushdown into the tables of a join: conditions on one table alone, columns that are read, and nothing that would
// change the result of the join.
#include "sql/bind/join_sides.h"

#include <catch2/catch.hpp>
#include <random>

#include "runtime/memory/budget.h"
#include "sql/physical/run_query.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using pelorus::testing::PartitionedBench;
using pelorus::testing::PartitionsInMemory;

namespace {

using Kinds = std::vector<JoinKind>;

// Ten rows of t in two partitions, and of u, which has the column v, too.
struct Bench : PartitionedBench {
    Bench() {
        t = share("t", "table(0..9 as k, 10 * 0..9 as v, string(0..9) as s)", "k", "0 5 10");
        u = share("u", "table(0..9 as k2, 0..9 % 3 as v, 0..9 as w)", "k2", "0 5 10");
        sides = {{Value::of(Ref<Table>(t)), "t"}, {Value::of(Ref<Table>(u)), "b"}};
    }

    // The rows that are left of a side; the side itself where all of it is.
    Value needed(const std::string& where, size_t index = 0) {
        t->counts.opened = 0;
        const Ref<Query> query = neededRows(
            sides, index, conditions(where), [](const std::string&) { return true; }, context);
        CHECK(t->counts.opened == 0);
        return query ? runQuery(*query, context) : sides[index].table;
    }
    // The keys of the rows that are left, or "all" where the table stays as it is.
    std::string keys(const std::string& where, size_t index = 0) {
        const Value rows = needed(where, index);
        return &rows.table() == &sides[index].table.table() ? "all" : display(testing::rowsOf(rows)->column(0));
    }

    Ref<PartitionsInMemory> t, u;
    std::vector<JoinSide> sides;
};

}  // namespace

TEST_CASE("conditions go below the joins of a side that lose no row by it") {
    using enum JoinKind;
    CHECK(takesConditions({Inner}, 0));
    CHECK(takesConditions({Inner}, 1));
    CHECK(takesConditions({Cross}, 0));
    CHECK(takesConditions({Cross}, 1));
    CHECK(takesConditions({Left}, 0));
    CHECK(takesConditions({LeftSemi}, 0));
    CHECK(takesConditions({Right}, 1));
}

TEST_CASE("conditions stay above the joins that keep rows of the other side without a partner") {
    using enum JoinKind;
    CHECK_FALSE(takesConditions({Left}, 1));
    CHECK_FALSE(takesConditions({LeftSemi}, 1));
    CHECK_FALSE(takesConditions({Right}, 0));
    CHECK_FALSE(takesConditions({Full}, 0));
    CHECK_FALSE(takesConditions({Full}, 1));
}

TEST_CASE("a later join decides for the sides before it, an earlier one not for those behind") {
    using enum JoinKind;
    CHECK(takesConditions({Inner, Left}, 1));
    CHECK_FALSE(takesConditions({Inner, Right}, 1));
    CHECK_FALSE(takesConditions({Inner, Full}, 0));
    CHECK(takesConditions({Full, Inner}, 2));
    CHECK(takesConditions({Left, Right}, 2));
    CHECK_FALSE(takesConditions({Left, Right}, 1));
    CHECK(takesConditions({Left, Inner}, 0));
    CHECK_FALSE(takesConditions({Left, Inner}, 1));
}

TEST_CASE("conditions on one side alone leave its rows, and partitions stay closed") {
    Bench bench;
    CHECK(bench.keys("k > 7") == "[8,9]");
    CHECK(bench.t->counts.opened == 1);
    CHECK(bench.keys("t.k > 7") == "[8,9]");
    CHECK(bench.keys("k > 2, k < 5") == "[3,4]");
    CHECK(bench.keys("k > 2 and t.s < \"5\"") == "[3,4]");
    CHECK(bench.keys("k == 1 or k == 8") == "[1,8]");
    CHECK(bench.keys("k in [1, 7]") == "[1,7]");
    CHECK(bench.keys("k > 100") == "[]");
}

TEST_CASE("conditions on other sides, on several, and on none are left to the query") {
    Bench bench;
    for (const char* where : {"w > 7", "b.v > 7", "k > w", "t.v == b.v", "k == 1 or w == 1", "1 == 1"}) {
        INFO(where);
        CHECK(bench.keys(where) == "all");
    }
    // Each part of an `and` goes to its own side.
    CHECK(bench.keys("k > 7 and w > 1") == "[8,9]");
    CHECK(bench.keys("k > 7 and w > 8", 1) == "[9]");
    // A name without a qualifier is of the first side that has it.
    CHECK(bench.keys("v > 70") == "[8,9]");
    CHECK(bench.keys("v > 1", 1) == "all");
    CHECK(bench.keys("b.v > 1", 1) == "[2,5,8]");
}

TEST_CASE("a condition that looks at other rows stays, with all that follow it") {
    Bench bench;
    for (const char* where : {"k > avg(k)", "deltas(k) > 0", "k > rand(5, 1)[0]", "rowNo(k) < 3"}) {
        INFO(where);
        CHECK(bench.keys(where) == "all");
        CHECK(bench.keys(std::string(where) + ", k > 7") == "all");
        // A condition before it sees the same rows as it would after the join.
        CHECK(bench.keys("k > 7, " + std::string(where)) == "[8,9]");
    }
}

TEST_CASE("a condition that compares rows with a variable's items stays") {
    Bench bench;
    bench.run("items = 0..9\nlimit1 = 7");
    CHECK(bench.keys("k == items") == "all");
    CHECK(bench.keys("k > limit1") == "[8,9]");
    CHECK(bench.keys("k in items") == "[0,1,2,3,4,5,6,7,8,9]");  // a lookup, value by value
}

TEST_CASE("a name that only the join has is no name of a side") {
    Bench bench;
    CHECK(bench.keys("b_v > 1") == "all");
    CHECK(bench.keys("k > 7 and b_v > 1") == "all");
    CHECK(bench.keys("unknown > 1 and k > 7") == "all");
}

TEST_CASE("columns that nobody reads stay on disk") {
    Bench bench;
    const auto columns = [&](const std::string& read) {
        const Ref<Query> query = neededRows(
            bench.sides, 0, {}, [&](const std::string& column) { return read.find(column) != std::string::npos; },
            bench.context);
        const Value rows = query ? runQuery(*query, bench.context) : bench.sides[0].table;
        std::string names;
        for (const ColumnSchema& column : rows.table().columns()) names += column.name;
        CHECK(rows.table().rowCount() == 10);
        return names;
    };
    CHECK(columns("vs") == "vs");
    CHECK(columns("k") == "k");
    CHECK(columns("") == "kvs");  // a table has a column
    CHECK(&bench.needed("1 == 1").table() == bench.t.get());
}

TEST_CASE("tables in memory are joined as they are") {
    Bench bench;
    const Value memory = bench.run("table(0..9 as k, 0..9 as v)");
    bench.sides[0].table = memory;
    CHECK(bench.keys("k > 7") == "all");
}

// The partitioned tables and tables in memory of the same rows, in every kind of join under drawn conditions.
TEST_CASE("a join of partitions gives the rows that one of tables in memory gives") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    bench.run(
        "tm = table(0..9 as k, 10 * 0..9 as v, string(0..9) as s)\n"
        "um = table(0..9 as k2, 0..9 % 3 as v, 0..9 as w)");
    const std::vector<std::string> joins = {"inner join", "left join", "right join", "full join"};
    const std::vector<std::string> conditions = {
        "k > 4",       "A.v > 30",      "w < 5",     "B.v == 1",          "k == w",     "k < 3 or w > 6",
        "k == 00i",    "w == 00i",      "isNull(w)", "isNull(s)",         "B.v != A.v", "s like \"3%\"",
        "k in [2, 3]", "w between 2:4", "k2 > 5",    "k % 2 == 0",        "k > avg(k)", "not (w > 3)",
        "B.w > 2",     "v >= 20",       "k + w < 9", "s == \"\" or k > 2"};
    int rows = 0;
    for (int n = 0; n < 400; ++n) {
        const auto one = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
        const std::string join = one(joins), on = random() % 2 ? " on A.k == B.v" : " on A.k == B.k2 and B.w > 3";
        std::string where = one(conditions);
        for (unsigned more = random() % 3; more > 0; --more) where += (random() % 2 ? ", " : " and ") + one(conditions);
        const auto string = [&](const std::string& a, const std::string& b) {
            return "select k, A.v as av, s, k2, B.v as bv, w from " + a + " A " + join + " " + b + " B" + on +
                   " where " + where + " order by k, w, k2";
        };
        INFO(string("t", "u"));
        const auto outcome = [&](const std::string& query) -> std::string {
            try {
                return bench.shownAnswer(query);
            } catch (const UserError& error) {
                return error.what();
            }
        };
        const std::string expected = outcome(string("tm", "um"));
        CHECK(outcome(string("t", "u")) == expected);
        CHECK(outcome(string("t", "um")) == expected);
        CHECK(outcome(string("tm", "u")) == expected);
        rows += static_cast<int>(std::count(expected.begin(), expected.end(), '\n'));
    }
    CHECK(rows > 200);
}
