#include "postgres/types/quoted_name.h"

#include <catch2/catch.hpp>

using pelorus::postgres::quotedName;

TEST_CASE("names are in quotes where the grammar would read them otherwise") {
    CHECK(quotedName("plain_1") == "plain_1");
    for (const char* name : {"select", "any", "Mixed", "a b", "1a", "", "a#2"})
        CHECK(quotedName(name) == '"' + std::string(name) + '"');
    CHECK(quotedName("a\"b") == "\"a\"\"b\"");
}
