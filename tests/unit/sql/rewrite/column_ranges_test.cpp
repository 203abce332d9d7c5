// c1...c9 denotes columns whose names count up or down; an expression with such ranges expands to several.
#include "sql/rewrite/column_ranges.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

struct Bench : QueryBench {
    Bench() {
        run("t = table(1 2 as a1, 3 4 as a2, 5 6 as a3, 7 8 as b1, 9 0 as b2, 1 1 as b3, 2 2 as x08, 3 3 as x09, 4 4 "
            "as x10)");
    }
    // Returns the expanded list of a select as source.
    std::string items(const std::string& string) {
        const Value table = run("t");
        std::string all;
        const Ref<Query> select = query("select " + string + " from t");
        for (const SelectItem& item : select->items) {
            for (const std::string& source :
                 sourcesOf(expandColumnRanges(item.value, table.table().columns(), context)))
                all += (all.empty() ? "" : "; ") + source;
        }
        return all;
    }
    std::string names(const std::string& string) { return shown("columnNames(select " + string + " from t)"); }
};

}  // namespace

TEST_CASE("a range counts up or down, and numbers with zeros in front keep their width") {
    Bench bench;
    CHECK(bench.items("a1...a3") == "a1; a2; a3");
    CHECK(bench.items("a3...a1") == "a3; a2; a1");
    CHECK(bench.items("a2...a2") == "a2");
    CHECK(bench.items("x08...x10") == "x08; x09; x10");
    CHECK(bench.items("x10...x08") == "x10; x09; x08");
    CHECK(bench.items("a1") == "a1");
}

TEST_CASE("operators and elementwise functions pair ranges up, one column goes with all") {
    Bench bench;
    CHECK(bench.items("a1...a3 + b1...b3") == bench.items("a1 + b1, a2 + b2, a3 + b3"));
    CHECK(bench.items("a1...a3 * 2") == bench.items("a1 * 2, a2 * 2, a3 * 2"));
    CHECK(bench.items("b1 - a1...a2") == bench.items("b1 - a1, b1 - a2"));
    CHECK(bench.items("-(a1...a2)") == bench.items("-a1, -a2"));
    CHECK(bench.items("sqrt(a1...a2)") == bench.items("sqrt(a1), sqrt(a2)"));
    CHECK(bench.items("pow(a1...a2, b1...b2)") == bench.items("pow(a1, b1), pow(a2, b2)"));
    CHECK(bench.items("sqrt(a1...a2 + 1) * b3") == bench.items("sqrt(a1 + 1) * b3, sqrt(a2 + 1) * b3"));
}

TEST_CASE("functions of any number of arguments take the columns of a range as such") {
    Bench bench;
    CHECK(bench.items("rowSum(a1...a3)") == bench.items("rowSum(a1, a2, a3)"));
    CHECK(bench.items("rowSum(a1...a2, b1...b3)") == bench.items("rowSum(a1, a2, b1, b2, b3)"));
    CHECK(bench.shown("exec rowSum(a1...a3) from t") == "[9,12]");
}

TEST_CASE("results of ranges are called as their columns, or by the names that are given") {
    Bench bench;
    CHECK(bench.names("a1...a3") == "[\"a1\",\"a2\",\"a3\"]");
    CHECK(bench.names("a1...a3 as `p`q`r") == "[\"p\",\"q\",\"r\"]");
    CHECK(bench.names("a1...a3 as `p`q") == "[\"p\",\"q\",\"a3\"]");
    CHECK(bench.names("a1...a2, a1...a2 + 1 as `m`n") == "[\"a1\",\"a2\",\"m\",\"n\"]");
    CHECK(bench.shown("exec n from select a1...a2 + 10 as `m`n from t") == "[13,14]");
    CHECK(bench.shown("exec sum(a1) from t") == "3");
}

TEST_CASE("what is no range, or has columns that the table lacks, is refused") {
    Bench bench;
    const auto fails = [&](const std::string& string, const std::string& told) {
        INFO(string);
        CHECK_THROWS_WITH(bench.items(string), Catch::Contains(told));
    };
    fails("a1...a4", "Unrecognized column name [a4]");
    fails("a0...a2", "Unrecognized column name [a0]");
    fails("a1...b3", "is no range of columns");
    fails("a...b", "is no range of columns");
    fails("a1...x08", "is no range of columns");
    fails("a1...a99999", "is longer than 32768 columns");
    fails("a1...a1234567890", "is no range of columns");
    fails("a1...a3 + b1...b2", "must have as many columns each");
    fails("pow(a1...a3, b1...b2)", "must have as many columns each");
}
