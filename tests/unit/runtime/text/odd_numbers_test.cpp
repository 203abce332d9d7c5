#include "runtime/text/odd_numbers.h"

#include <catch2/catch.hpp>

using namespace pelorus::text;

TEST_CASE("codes with leading zeros are told from numbers") {
    for (const char* code : {"01", "000001", "00"}) REQUIRE(hasLeadingZeros(code));
    for (const char* number : {"0", "10", "0.5", "-01", "0a", ""}) REQUIRE_FALSE(hasLeadingZeros(number));
}

TEST_CASE("whole numbers are digits with or without a sign") {
    for (const char* number : {"0", "-12", "+12345678901234567890"}) REQUIRE(isInteger(number));
    for (const char* other : {"", "-", "1.0", "1e5", "a1"}) REQUIRE_FALSE(isInteger(other));
}

TEST_CASE("commas are decimal or between thousands, or may be either") {
    for (const char* number : {"1,5", "-0,25", "1234,5", "1.234,50", "1.234.567,8"}) REQUIRE(hasDecimalComma(number));
    for (const char* other : {"1", "1.5", ",5", "1,", "1,2,3", "12.34,5", "a,5", "1,5 kg"})
        REQUIRE_FALSE(hasDecimalComma(other));
    for (const char* number : {"1,234", "12,345,678", "1,234.5", "-1,000"}) REQUIRE(hasThousandsCommas(number));
    for (const char* other : {"1234", "1,23", "1234,567", "1,234,", "1,234.", ",123"})
        REQUIRE_FALSE(hasThousandsCommas(other));
    REQUIRE((hasDecimalComma("1,234") && hasThousandsCommas("1,234")));
}

TEST_CASE("truth values are written in three ways each") {
    for (const char* text : {"true", "True", "TRUE"}) REQUIRE(truthOf(text) == true);
    for (const char* text : {"false", "False", "FALSE"}) REQUIRE(truthOf(text) == false);
    for (const char* text : {"", "T", "yes", "tRUE", "1"}) REQUIRE_FALSE(truthOf(text).has_value());
}
