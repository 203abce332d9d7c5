#include "sql/rewrite/converted_constants.h"

#include <catch2/catch.hpp>

#include "tests/support/query_bench.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

std::string rewritten(const std::string& condition) {
    QueryBench bench;
    const TableSchema columns{{"s", Type::Symbol}, {"t", Type::String}, {"c", Type::Char}};
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
