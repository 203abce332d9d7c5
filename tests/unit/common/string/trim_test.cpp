#include "common/string/trim.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("blanks go at both ends and stay within") {
    CHECK(trim(" \t a b \r\n") == "a b");
    CHECK(trim("a") == "a");
    CHECK(trim("") == "");
    CHECK(trim(" \n ") == "");
    CHECK(trim("..a.b..", ".") == "a.b");
    CHECK(trim("  a ", "\t") == "  a ");
}

TEST_CASE("the begin of a string stays when its end is trimmed") {
    CHECK(trimEnd("  a b\n\n") == "  a b");
    CHECK(trimEnd(" \t ") == "");
    CHECK(trimEnd("x;;", ";") == "x");
}
