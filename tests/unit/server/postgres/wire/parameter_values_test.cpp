#include "server/postgres/wire/parameter_values.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"
#include "server/postgres/wire/field_encoder.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

std::string stateOf(Oid type, std::string_view bytes, bool isBinary) {
    try {
        parseParameter(type, bytes, isBinary, {});
    } catch (const SqlError& error) {
        return error.state();
    }
    return "";
}

// Sends a text as a value of the type through its binary form, and returns the text it comes back as.
std::string again(Oid type, std::string_view text) {
    const OutputColumn column{.label = {}, .type = type};
    const Value value = parseParameter(type, text, false, {});
    std::string field, shown;
    makeFieldEncoder(column, true, value, {})->append(field, 0);
    fieldText(column, parseParameter(type, std::string_view(field).substr(4), true, {}), {}, shown);
    return shown;
}

}  // namespace

TEST_CASE("values of each type go through their binary form") {
    const std::pair<Oid, const char*> kValues[] = {
        {oid::kBool, "t"},
        {oid::kInt2, "-32767"},
        {oid::kInt4, "2147483647"},
        {oid::kInt8, "-9223372036854775807"},
        {oid::kOid, "4294967295"},
        {oid::kFloat4, "0.1"},
        {oid::kFloat8, "-1e-300"},
        {oid::kNumeric, "-12345678901234567890.123456"},
        {oid::kText, "ä ☃ 𝄞"},
        {oid::kVarchar, "x"},
        {oid::kName, "relname"},
        {oid::kChar, "r"},
        {oid::kBytea, "\\x00ff"},
        {oid::kDate, "2026-02-28"},
        {oid::kTime, "23:59:59.999999"},
        {oid::kTimetz, "01:02:03+00"},
        {oid::kTimestamp, "2026-01-02 03:04:05.000001"},
        {oid::kTimestamptz, "1970-01-01 00:00:00+00"},
        {oid::kInterval, "1 year 2 mons 3 days 04:05:06"},
        {oid::kUuid, "00010203-0405-0607-0809-0a0b0c0d0e0f"},
        {oid::kJson, "{\"a\": 1}"},
        {oid::kJsonb, "[1]"},
        {oid::kInt4Array, "{1,NULL,3}"},
        {oid::kTextArray, "{a,\"b c\",\"\"}"},
        {oid::kBoolArray, "{t,f}"},
        {oid::kTimestampArray, "{\"2026-01-02 03:04:05\"}"},
        {oid::kInt4Array, "{}"},
    };
    for (const auto& [type, text] : kValues) {
        INFO(type << ' ' << text);
        CHECK(again(type, text) == text);
    }
}

TEST_CASE("parameters that are no value of their type are refused") {
    CHECK(stateOf(oid::kInt4, "abc", false) == "22P02");
    CHECK(stateOf(oid::kInt4, "99999999999", false) == "22003");
    CHECK(stateOf(oid::kInt4, "\x80\0\0", true) == "22P03");
    CHECK(stateOf(oid::kInt4, std::string_view("\x80\0\0\0", 4), true) == "22003");
    CHECK(stateOf(oid::kInt8, "-9223372036854775808", false) == "22003");
    CHECK(stateOf(oid::kFloat8, "-1.7976931348623157e308", false) == "22003");
    CHECK(stateOf(oid::kFloat8, std::string_view("\xff\xef\xff\xff\xff\xff\xff\xff", 8), true) == "22003");
    CHECK(stateOf(oid::kFloat8, std::string_view("\x7f\xf8\0\0\0\0\0\0", 8), true) == "22003");
    CHECK(stateOf(oid::kFloat4, "-3.4028235e38", false) == "22003");
    CHECK(stateOf(oid::kFloat4, "1e39", false) == "22003");
    CHECK(stateOf(oid::kFloat4, "-inf", false).empty());
    CHECK(stateOf(oid::kBool, "maybe", false) == "22P02");
    CHECK(stateOf(oid::kDate, "2026-13-01", false) == "22008");
    CHECK(stateOf(oid::kTimestamp, std::string_view("\x7f\xff\xff\xff\xff\xff\xff\xff", 8), true) == "22008");
    CHECK(stateOf(oid::kTimestamp, "infinity", false) == "22007");
    CHECK(stateOf(oid::kUuid, "0001", false) == "22P02");
    CHECK(stateOf(oid::kBytea, "\\xabc", false) == "22P02");
    CHECK(stateOf(oid::kBytea, "\\9", false) == "22P02");
    CHECK(stateOf(oid::kInt4Array, "{1,x}", false) == "22P02");
    CHECK(stateOf(oid::kInt4Array, std::string_view("\0\0\0\1\0\0\0\0\0\0\0\x17\x7f\xff\xff\xff\0\0\0\1", 20), true) ==
          "22P03");
    CHECK(stateOf(oid::kJsonb, "{}", true) == "22P03");
    CHECK(stateOf(99'999, "x", true) == "0A000");
    CHECK(stateOf(99'999, "x", false).empty());
}

TEST_CASE("texts are UTF-8 without a zero") {
    CHECK(stateOf(oid::kText, std::string_view("a\0b", 3), false) == "22021");
    for (const char* bytes : {"\x80", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "a\xc3"})
        CHECK(stateOf(oid::kText, bytes, true) == "22021");
    CHECK(stateOf(oid::kText, "\xf4\x8f\xbf\xbf", false).empty());
}
