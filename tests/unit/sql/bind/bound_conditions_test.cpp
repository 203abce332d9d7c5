// Binding of conditions before anything is read: parts that are evaluated row by row, constants, queries within them,
// words for text indexes, and dates that are none.
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "sql/bind/plan_select.h"
#include "sql/physical/prepare_select.h"
#include "sql/plan/select_plan.h"
#include "sql/rewrite/mistyped_dates.h"
#include "sql/rewrite/text_indexes.h"
#include "tests/support/drawn_rows.h"
#include "tests/support/partitioned_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : PartitionedBench {
    Bench() { run("t = table(0..9 as k, 10 - 0..9 as v, string(0..9) as s, 2024.01.01 + 0..9 as day)"); }
    NodeRef condition(const std::string& string) { return conditions(string)[0]; }
    SelectPlan planned(const std::string& where) {
        return prepareSelect(*query("select * from t where " + where), context);
    }
    // "k > 1; v < 3 | later k > avg(k)"
    std::string filters(const std::string& where) {
        const SelectPlan plan = planned(where);
        std::string string;
        for (const std::string& source : sourcesOf(plan.filters)) string += (string.empty() ? "" : "; ") + source;
        for (const std::string& source : sourcesOf(plan.laterFilters)) string += " | later " + source;
        return string;
    }
};

}  // namespace

TEST_CASE("conditions that look at one row are taken by the scan, up to the first that looks at others") {
    Bench bench;
    CHECK(bench.filters("k > 1, v < 3") == "k > 1; v < 3");
    CHECK(bench.filters("k > 1 and v < 3") == "k > 1; v < 3");
    CHECK(bench.filters("k > 1 or v < 3") == "k > 1 or v < 3");
    CHECK(bench.filters("k > 1, k > avg(k), v < 3") == "k > 1 | later k > avg(k) | later v < 3");
    CHECK(bench.filters("k > 1 and k > avg(k)") == " | later k > 1 && k > avg(k)");
    CHECK(bench.filters("k in [1, 2], abs(v) < 3") == "k in [1,2]; abs(v) < 3");
}

TEST_CASE("a value depends on its row alone where all parts do") {
    Bench bench;
    for (const char* string : {"k > 1", "k + v > 1", "not (k > 1)", "abs(k) > 1", "k in [1, 2]", "s like \"a%\"",
                               "1 == 1", "isNull(k)", "between(k, 1:3)", "iif(k > 1, v, 2) == 2", "string(k) == s"}) {
        INFO(string);
        CHECK(isRowwise(bench.condition(string), bench.context));
    }
    for (const char* string : {"k > avg(k)", "deltas(k) > 1", "cumsum(k) > 1", "k > prev(v)", "k in [v, 2]",
                               "k == rand(10, 1)[0]", "k in (select k from t)", "{x -> x > 1}(k)"}) {
        INFO(string);
        CHECK_FALSE(isRowwise(bench.condition(string), bench.context));
    }
}

TEST_CASE("and comes apart into its conditions, or and not stay whole") {
    Bench bench;
    const auto parts = [&](const std::string& string) {
        NodeList all;
        splitAnd(bench.condition(string), all);
        return sourcesOf(all);
    };
    using Strings = std::vector<std::string>;
    CHECK(parts("k > 1 and v < 3 and s == \"a\"").size() == 3);
    CHECK(parts("k > 1 and (v < 3 and s == \"a\")").size() == 3);
    CHECK(parts("k > 1 && v < 3") == Strings{"k > 1", "v < 3"});
    CHECK(parts("k > 1 or v < 3").size() == 1);
    CHECK(parts("not (k > 1 and v < 3)").size() == 1);
    CHECK(parts("k > 1 and (v < 3 or k == 2)").size() == 2);
}

TEST_CASE("parts without columns become their values once") {
    Bench bench;
    bench.run("limits = [3, 9]\ndef twice(x) { return 2 * x }\nday = 2020.01.01");
    CHECK(bench.filters("k < limits[1]") == "k < 9");
    CHECK(bench.filters("k < max(limits) - 1") == "k < 8");
    CHECK(bench.filters("k < twice(2)") == "k < 4");
    CHECK(bench.filters("day == day") == "day == day");  // the column, whatever variable is called so
    CHECK(bench.filters("k in (select top 2 k from t)") == "k in [0,1]");
    CHECK(bench.filters("k == (select max(k) from t)") == "k == 9");
    CHECK(bench.filters("exists (select k from t where k > 100)") == "false");
    CHECK(bench.filters("exists (select k from t where k > 5)") == "true");
    CHECK(bench.filters("not exists (select k from t where k > 5)") == "false");
}

// The function is called before the rows are read, and not again for each, whatever it does.
TEST_CASE("a function of a script that reads no column is called once") {
    Bench bench;
    int calls = 0;
    bench.request.print = [&](std::string_view) { ++calls; };
    bench.run("def told(x) { print(x)\n return x }");
    CHECK(bench.shownAnswer("exec k from t where k < told(3)") == "[0,1,2]");
    CHECK(calls == 1);
    CHECK(bench.shownAnswer("exec told(7) as seven from t where k < 2") == "[7,7]");
    CHECK(calls == 2);
    CHECK(bench.shownAnswer("exec sum(k) from t group by told(1) as one").find("45") != std::string::npos);
    CHECK(calls == 3);
    CHECK(bench.run("columnNames(select told(2) from t)").at(0).string() == "told");
    // A function that reads a column is called with it as a whole.
    calls = 0;
    CHECK(bench.shownAnswer("exec told(k) from t where k < 2") == "[0,1]");
    CHECK(calls == 1);
}

TEST_CASE("a date that is written as a number is refused, with how to write it") {
    Bench bench;
    const TableSchema columns{{"day", Type::Date}, {"k", Type::Int}, {"real", Type::Double}};
    const auto fails = [&](const std::string& string, const std::string& meant) {
        INFO(string);
        try {
            refuseMistypedDates(bench.condition(string), columns);
            FAIL("it was taken");
        } catch (const UserError& error) {
            CHECK_THAT(error.what(), Catch::Contains("day is a DATE"));
            CHECK(error.hint() == "Write a date as " + meant + ".");
        }
    };
    fails("day == 2018-01-02", "2018.01.02");
    fails("day > 2018-12-31", "2018.12.31");
    fails("2018-01-02 <= day", "2018.01.02");
    fails("day in [2018.01.01, 2018-01-02]", "2018.01.02");
    fails("day between (2018-01-02):(2018-01-05)", "2018.01.02");
    fails("k > 3 and day == 2018-01-02", "2018.01.02");
    fails("day == 2018.01", "2018.01.01");
    for (const char* string :
         {"k == 2018-01-02", "day == 2018.01.02", "day == 2018-13-02", "day == 2018-01-32", "day == 18-01-02",
          "real == 2018.01", "day == 2018.13", "day == 2018.015", "day == k - 1 - 2", "day == 5"}) {
        INFO(string);
        CHECK_NOTHROW(refuseMistypedDates(bench.condition(string), columns));
    }
}

TEST_CASE("a search for words is told the index of its column") {
    Bench bench;
    const Ref<PartitionsInMemory> table =
        bench.share("notes", "table(0..9 as k, string(0..9) as note, string(0..9) as other)", "k", "0 5 10");
    table->searched = "note";
    const auto told = [&](const std::string& string) {
        return toSource(*withTextIndexes(bench.condition(string), *table));
    };
    CHECK_THAT(told("matchAny(note, \"a\")"), Catch::Contains("textindex(parser=english)"));
    CHECK_THAT(told("k > 3 or not matchAll(note, \"a b\")"), Catch::Contains("textindex(parser=english)"));
    CHECK(told("k > 3") == toSource(*bench.condition("k > 3")));
    CHECK(told("matchAny(\"text\", \"a\")") == toSource(*bench.condition("matchAny(\"text\", \"a\")")));
    CHECK_THROWS_WITH(told("matchAny(other, \"a\")"), Catch::Contains("The column other has no text index"));
    CHECK_THROWS_WITH(bench.answer("select * from notes where matchPhrase(other, \"a\")"),
                      Catch::Contains("has no text index"));
}

// x op any (list) and x op all (list) of drawn lists, against a loop over the list.
TEST_CASE("any and all compare with each value of a query") {
    const unsigned seed = std::random_device()() >> 1;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Bench bench;
    int passed = 0, failed = 0;
    for (int n = 0; n < 600; ++n) {
        DrawnRows rows = drawnRows(20, random);
        bench.session->setVariable("m", Value::of(Ref<Table>(tableOf(rows))));
        const std::string limit = std::to_string(random() % 4);
        // Halves, some of which equal no integer; or integers.
        const bool isReal = random() % 2 == 1;
        const std::string column = isReal ? "half" : "wide / 100000000000l";
        std::vector<int64_t> halves;
        for (const DrawnRow& row : rows) {
            const Item item = isReal ? row.half : row.wide;
            if (item && halves.size() < std::stoul(limit)) halves.push_back(isReal ? *item : 2 * *item);
        }
        static constexpr const char* kOperators[] = {"<", "<=", ">", ">=", "==", "!="};
        const size_t op = random() % 6;
        const bool all = random() % 2 == 1;
        std::vector<std::vector<Item>> wanted;
        for (const DrawnRow& row : rows) {
            if (!row.few) continue;
            const auto holds = [&](int64_t half) {
                const int64_t x = 2 * *row.few;
                const std::array<bool, 6> results = {(x < half), x <= half, (x > half),
                                                     x >= half,  x == half, x != half};
                return results[op];
            };
            const bool passes = all ? std::all_of(halves.begin(), halves.end(), holds)
                                    : std::any_of(halves.begin(), halves.end(), holds);
            if (passes) wanted.push_back({row.place});
            passed += passes;
            failed += !passes;
        }
        const std::string source = isReal ? "half" : "wide";
        const std::string string = std::string("select place from m where not isNull(few), few ") + kOperators[op] +
                                   (all ? " all" : " any") + " (select top " + limit + " " + column +
                                   " as y from m where not isNull(" + source + "))";
        INFO(string);
        CHECK(toString(itemsOfRows(*rowsOf(bench.answer(string)))) == toString(wanted));
    }
    CHECK(passed > 200);
    CHECK(failed > 200);
}
