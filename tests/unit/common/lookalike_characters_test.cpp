#include "common/lookalike_characters.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("blanks of other scripts are known by their bytes, at the beginning alone") {
    CHECK(wideBlankLength("\u00A0x") == 2);
    CHECK(wideBlankLength("\u3000") == 3);
    CHECK(wideBlankLength("\uFEFFx = 1") == 3);
    CHECK(wideBlankLength(" \u3000") == 0);
    CHECK(wideBlankLength("\u4e2d") == 0);
    CHECK(wideBlankLength("\xe3\x80") == 0);  // cut off
    CHECK(wideBlankLength("") == 0);
}

TEST_CASE("the first character that looks like another is named with what was meant") {
    size_t offset = 0;
    CHECK(lookalikeAdvice("f(1\uFF0C 2\uFF09", &offset) == "\uFF0C is a full-width character: write , instead.");
    CHECK(offset == 3);
    CHECK(lookalikeAdvice("x = \u201Ca\u201D") == "\u201C is a typographic quote: write \" instead.");
    CHECK(lookalikeAdvice("a \u2013 b") == "\u2013 is a typographic dash: write - instead.");
    CHECK(lookalikeAdvice("a \u2264 b") == "\u2264 is a mathematical sign: write <= instead.");
}

TEST_CASE("other text has no advice, and the offset stays") {
    size_t offset = 77;
    CHECK(lookalikeAdvice("x = 1", &offset).empty());
    CHECK(lookalikeAdvice("\u4e2d\u6587 = \"\u00e9\"", &offset).empty());
    CHECK(lookalikeAdvice("\xef\xbc", &offset).empty());
    CHECK(lookalikeAdvice("", &offset).empty());
    CHECK(offset == 77);
}
