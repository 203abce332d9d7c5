#include "common/string/ascii_case.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("only the letters of ASCII are lowered") {
    CHECK(asciiLower("Content-TYPE [Z]") == "content-type [z]");
    CHECK(asciiLower("\u00C4\u0130@") == "\u00C4\u0130@");
    CHECK(asciiLower("").empty());
}

TEST_CASE("strings are equal in any case of ASCII's letters, and of no others") {
    CHECK(isEqualInAnyCase("Sum", "sUM"));
    CHECK(isEqualInAnyCase("", ""));
    CHECK_FALSE(isEqualInAnyCase("sum", "sums"));
    CHECK_FALSE(isEqualInAnyCase("\u00C4", "\u00E4"));
    CHECK_FALSE(isEqualInAnyCase("@", "`"));
}
