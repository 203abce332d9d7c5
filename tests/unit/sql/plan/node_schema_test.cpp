// The columns of a plan that are known before it runs are those of its rows.
#include "sql/plan/node.h"

#include <catch2/catch.hpp>
#include <random>

#include "sql/physical/pipelines.h"
#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() {
        std::mt19937 random(5);
        session->setVariable("m", Value::of(Ref<Table>(tableOf(drawnRows(60, random)))));
        share("t", "m", "place", "0 13 14 40 1000", 5);
    }
    // "few INT, half DOUBLE"; "?" where only rows tell the type.
    static std::string toString(const TableSchema& columns) {
        std::string string;
        for (const ColumnSchema& column : columns) {
            string += (string.empty() ? "" : ", ") + column.name + " " +
                      (column.type == Type::Void ? "?" : std::string(typeName(column.type)));
        }
        return string;
    }
    std::string columns(const std::string& string) { return toString(plan(string)->schema(context)); }
};

}  // namespace

TEST_CASE("columns of rows and of groups are told with their types") {
    Bench bench;
    CHECK(bench.columns("select few, half * 2 as twice, string(name) as s from t") ==
          "few INT, twice DOUBLE, s STRING");
    CHECK(bench.columns("select * from m") == "place INT, few INT, half DOUBLE, name SYMBOL, wide LONG");
    CHECK(bench.columns("select count(*), sum(few), avg(few), max(half) from t group by name") ==
          "name SYMBOL, count INT, sum_few LONG, avg_few DOUBLE, max_half DOUBLE");
    CHECK(bench.columns("select top 3 few from t order by half, wide") == "few INT");
    CHECK(bench.columns("select sum(few) from t group by name order by max(half)") == "name SYMBOL, sum_few LONG");
    CHECK(bench.columns("select 1 as a, `x as b, 2024.01.01 as c") == "a INT, b STRING, c DATE");
}

TEST_CASE("rows within groups show their items only, and rolling windows where they end") {
    Bench bench;
    CHECK(bench.columns("select prev(few) as p from t context by name") == "p INT");
    CHECK(bench.columns("select name, prev(few) as p from t context by name, half") == "name SYMBOL, p INT");
    CHECK(bench.columns("select prev(few) as p from t context by name order by half") == "p INT");
    CHECK(bench.columns("select roll(place, 5), sum(few) as s from t context by name") == "roll ?, s LONG");
    CHECK(bench.columns("select roll(place, 5) as until, sum(few) as s from t context by name") == "until ?, s LONG");
    for (const char* string : {"select prev(few) as p from t context by name",
                               "select roll(place, 5), sum(few) as s from t context by name"}) {
        std::string names;
        for (const ColumnSchema& column : bench.plan(string)->schema(bench.context)) names += column.name + " ";
        std::string found;
        const Ref<MemoryTable> rows = rowsOf(bench.answer(string));
        for (const ColumnSchema& column : rows->columns()) found += column.name + " ";
        CHECK(names == found);
    }
}

TEST_CASE("two columns of one name are told apart, and one that * names stands once") {
    Bench bench;
    CHECK(bench.columns("select few, few, few from t") == "few INT, few_1 INT, few_2 INT");
    CHECK(bench.columns("select few + half, few + half from t") == "few_add DOUBLE, few_add_1 DOUBLE");
    CHECK(bench.columns("select name, *, few from t") == "name SYMBOL, place INT, few INT, half DOUBLE, wide LONG");
    CHECK(bench.columns("select *, few as again from t") ==
          "place INT, few INT, half DOUBLE, name SYMBOL, wide LONG, again INT");
}

TEST_CASE("rows have the columns that were told, whatever is drawn") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](size_t end) { return static_cast<size_t>(random() % end); };
    const auto one = [&](const std::vector<std::string>& of) { return of[below(of.size())]; };
    const std::vector<std::string> rowItems = {"few",
                                               "half",
                                               "name",
                                               "wide",
                                               "few + 1",
                                               "few + wide",
                                               "few / 2",
                                               "few \\ 2",
                                               "half > 1",
                                               "-few",
                                               "not few",
                                               "few in [1, 2]",
                                               "isNull(s)",
                                               "string(few)",
                                               "name like `n",
                                               "sqrt(few)",
                                               "iif(few > 1, few, half)",
                                               "long(half)",
                                               "name + `x",
                                               "few between 1:3",
                                               "date(place)",
                                               "place % 3",
                                               "upper(name)",
                                               "nullFill(few, 0)",
                                               "bool(few)",
                                               "2024.01.01 + few",
                                               "strlen(name)",
                                               "ceil(half)",
                                               "char(few)",
                                               "case when few > 1 then half else few end"};
    const std::vector<std::string> aggregates = {"count(*)",
                                                 "sum(few)",
                                                 "sum(half)",
                                                 "avg(few)",
                                                 "max(name)",
                                                 "first(half)",
                                                 "last(wide)",
                                                 "std(half)",
                                                 "nunique(few)",
                                                 "min(wide)",
                                                 "sum(few) / count(half)",
                                                 "max(few) - min(few)",
                                                 "med(half)",
                                                 "wavg(half, few)",
                                                 "count(few) > 3",
                                                 "firstNot(half)"};
    const std::vector<std::string> windows = {"cumsum(few)",   "deltas(half)", "prev(name)",  "rank(few)",
                                              "mavg(half, 3)", "few",          "ratios(few)", "sum(few)",
                                              "rowNo(few)",    "cummax(wide)"};
    Bench bench;
    int typed = 0, untyped = 0;
    for (int n = 0; n < 1500; ++n) {
        std::string items, tail;
        const size_t form = below(7);
        for (size_t more = 1 + below(3); more > 0; --more) {
            const std::string item = form == 0 ? one(rowItems) : form < 3 || form > 4 ? one(aggregates) : one(windows);
            items += (items.empty() ? "" : ", ") + item + (below(2) ? " as c" + std::to_string(more) : "");
        }
        if (below(2)) tail += " where " + one({"few > 1", "half < 2", "name == `n3", "few > 100"});
        if (form == 2) tail += " group by " + one({"few", "name", "few, name", "few % 2 as odd", "wide"});
        if (form == 5)
            tail += " group by " + one({"", "name, "}) + "interval(place, 7, \"null\")" + one({"", " as at"});
        if (form == 6) tail += one({" cgroup by few order by few", " group by name cgroup by few order by name, few"});
        if (form == 4) tail += " context by " + one({"few", "name"});
        if (form == 0 && below(2)) tail += " order by " + one({"half", "few desc, name"});
        if (form < 3 && below(3) == 0) tail += " limit 5";
        const std::string string = std::string("select ") + (form == 0 && below(4) == 0 ? "distinct " : "") + items +
                                   one({" from m", " from t"}) + tail;
        INFO(string);
        PlanRef plan;
        Ref<MemoryTable> rows;
        try {
            plan = bench.plan(string);
            rows = runPipelines(*plan, bench.context).rows;
        } catch (const UserError&) {
            continue;
        }
        const TableSchema told = plan->schema(bench.context);
        REQUIRE(static_cast<int>(told.size()) == rows->columnCount());
        for (size_t c = 0; c < told.size(); ++c) {
            CHECK(told[c].name == rows->columns()[c].name);
            if (told[c].type == Type::Void) {
                ++untyped;
                continue;
            }
            INFO("column " << c << " " << told[c].name);
            CHECK(typeName(told[c].type) == typeName(rows->columns()[c].type));
            ++typed;
        }
    }
    INFO(typed << " with types, " << untyped << " without");
    CHECK(typed > 1500);
    CHECK(untyped < typed / 5);
}
