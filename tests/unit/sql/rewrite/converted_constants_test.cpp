#include "sql/rewrite/converted_constants.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

std::string rewritten(const std::string& condition) {
    QueryBench bench;
    const TableSchema columns{
        {"s", Type::Symbol}, {"t", Type::String}, {"c", Type::Char}, {"d", Type::Date}, {"m", Type::Minute}};
    return toSource(*withConvertedConstants(bench.conditions(condition)[0], columns));
}

}  // namespace

TEST_CASE("a letter beside a column of texts is a text, alone and in a list") {
    CHECK(rewritten("s = 'R'") == "s == \"R\"");
    CHECK(rewritten("'R' <> t") == "\"R\" != t");
    CHECK(rewritten("s in ('R', 'A')").find('\'') == std::string::npos);
    CHECK(rewritten("iif(t < 'b', 1, 2) > 1").find("\"b\"") != std::string::npos);
}

TEST_CASE("a letter beside anything else stays a letter") {
    CHECK(rewritten("c = 'R'") == "c == 'R'");
    CHECK(rewritten("s = \"R\"") == "s == \"R\"");
}

TEST_CASE("a text beside a column of dates or times is one, alone, in a list and as a bound") {
    CHECK(rewritten("d = \"2024-01-02\"") == "d == 2024.01.02");
    CHECK(rewritten("\"2024.01.02\" < d") == "2024.01.02 < d");
    CHECK(rewritten("d between \"2024-01-02\" and date(\"2024-02-01\")").find("2024.01.02") != std::string::npos);
    CHECK(rewritten("d in (\"2024-01-02\", \"2024-01-03\")").find("2024.01.03") != std::string::npos);
    CHECK(rewritten("m > \"09:30\"") == "m > 09:30m");
}

TEST_CASE("a text that is no time stays, to be told by the comparison") {
    CHECK(rewritten("d = \"new year\"") == "d == \"new year\"");
    CHECK(rewritten("d in (\"2024-01-02\", \"new year\")").find("new year") != std::string::npos);
    CHECK(rewritten("date(\"2024-01-02\") > d").find("date(") != std::string::npos);
}
