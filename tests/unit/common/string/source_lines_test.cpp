#include "common/string/source_lines.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("lines are counted from 1 and come without their ends") {
    CHECK(lineOf("a\nbc\n\nd", 1) == "a");
    CHECK(lineOf("a\nbc\n\nd", 2) == "bc");
    CHECK(lineOf("a\nbc\n\nd", 3) == "");
    CHECK(lineOf("a\nbc\n\nd", 4) == "d");
}

TEST_CASE("a line that is not there is empty") {
    CHECK(lineOf("", 1) == "");
    CHECK(lineOf("a", 2) == "");
    CHECK(lineOf("a\n", 2) == "");
    CHECK(lineOf("a\nb", 100) == "");
}
