#include "postgres/parse/nesting.h"

#include <catch2/catch.hpp>
#include <string>

using pelorus::postgres::nestingBound;

TEST_CASE("a list is no deeper than its deepest item") {
    std::string list = "select (1+2";
    for (int i = 0; i < 1'000; ++i) list += ", 1+2";
    CHECK(nestingBound(list + ")") < 20);
    CHECK(nestingBound("select 'a+b+c+d+e+f+g+h+i', $x$ ((((((( $x$, \"((((((((\" -- ((((((((\n /* /* (( */ ((((( */") <
          10);
}

TEST_CASE("what hangs deeper counts, whatever commas stand between") {
    std::string unions = "select 1, 2";
    std::string arrays = "select a";
    std::string parentheses;
    for (int i = 0; i < 1'000; ++i) {
        unions += " union select 1, 2";
        arrays += " || array[1, 2]";
        parentheses += "f(1, ";
    }
    CHECK(nestingBound(unions) >= 1'000);
    CHECK(nestingBound(arrays) >= 1'000);
    CHECK(nestingBound(parentheses) >= 1'000);
    CHECK(nestingBound("))))((") < 10);
    CHECK(nestingBound("'unfinished") < 3);
    CHECK(nestingBound("/* unfinished") == 0);
    std::string comments;
    for (int i = 0; i < 2'000; ++i) comments += "/*";
    CHECK(nestingBound(comments) > pelorus::postgres::kMaxNesting);
    CHECK(nestingBound("E'it\\'s (((((((('") < 4);
}
