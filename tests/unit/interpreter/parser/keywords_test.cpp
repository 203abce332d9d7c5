#include "interpreter/parser/keywords.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("keywords in either case, types and constants are words of the language, other names are not") {
    for (const char* word :
         {"select", "SELECT", "Group", "by", "and", "NULL", "true", "pi", "INT", "SYMBOL", "case", "transaction"}) {
        CAPTURE(word);
        CHECK(isLanguageWord(word));
    }
    for (const char* word : {"price", "selected", "null_", "nulls1", "", "x", "Pi"}) {
        CAPTURE(word);
        CHECK_FALSE(isLanguageWord(word));
    }
}
