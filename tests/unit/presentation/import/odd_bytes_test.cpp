#include "presentation/import/odd_bytes.h"

#include <catch2/catch.hpp>
#include <string>

using namespace pelorus;
using namespace pelorus::text;
using namespace std::string_literals;

static const TextSchema kBoth = {{"a", Type::String, 0, "", 0}, {"b", Type::String, 0, "", 1}};

TEST_CASE("the first byte that is no UTF-8 is found, whatever stands around it") {
    for (const std::string& string :
         {""s, "plain"s, "行情 😀 é"s, "\x7F"s, "\xF4\x8F\xBF\xBF"s, std::string(100, 'x') + "é"})
        REQUIRE(findNotUtf8(string) == std::string::npos);
    // A continuation alone, a cut character, two that are too long, half of a pair, one beyond the last.
    for (const std::string& bad :
         {"\x80"s, "\xE8\xA1"s, "\xC0\x80"s, "\xE0\x80\x80"s, "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s, "\xFF"s}) {
        REQUIRE(findNotUtf8(bad) == 0);
        for (const size_t before : {1u, 7u, 8u, 9u, 31u})
            REQUIRE(findNotUtf8(std::string(before, 'x') + bad + "behind") == before);
    }
}

TEST_CASE("the first fields with odd bytes are told by line and column") {
    TextReport report;
    findOddBytes("1,ok\n2,\"two\nlines\"\n3,\xBD\xC6\n4,\0x\n"s, kBoth, ',', 2, report);
    REQUIRE(report.notUtf8.line == 5);
    REQUIRE(report.notUtf8.column == 1);
    REQUIRE(report.zeroBytes.line == 6);
    TextReport plain;
    findOddBytes("1,行情\n", kBoth, ',', 2, plain);
    REQUIRE(plain.notUtf8.line == 0);
    REQUIRE(plain.zeroBytes.line == 0);
    TextReport leftOut;
    findOddBytes("\xC6,1\n", {{"b", Type::String, 0, "", 1}}, ',', 1, leftOut);
    REQUIRE(leftOut.notUtf8.line == 0);
}
