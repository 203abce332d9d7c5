#include "server/postgres/wire/field_encoder.h"

#include <catch2/catch.hpp>

#include "postgres/sql_error.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/decimal.h"
#include "runtime/value/vector.h"

using namespace pelorus;
using namespace pelorus::postgres;

namespace {

// Returns the bytes of a cell in hexadecimal digits, "null" for NULL.
std::string binary(Oid type, const Value& cells, int64_t row = 0) {
    std::string field, shown;
    makeFieldEncoder({.label = {}, .type = type}, true, cells, {})->append(field, row);
    if (field == "\xff\xff\xff\xff") return "null";
    for (const char c : field.substr(4)) {
        constexpr char kDigits[] = "0123456789abcdef";
        shown += kDigits[static_cast<unsigned char>(c) >> 4];
        shown += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return shown;
}

std::string text(Oid type, const Value& cell, int32_t modifier = -1) {
    std::string shown;
    return fieldText({.label = {}, .type = type, .modifier = modifier}, cell, {}, shown) ? shown : "null";
}

}  // namespace

TEST_CASE("integers and truth values have the width of their type") {
    const Value ints = Value::of(Vector::of<int32_t>(Type::Int, {1, -2, null<int32_t>}));
    CHECK(binary(oid::kInt4, ints, 1) == "fffffffe");
    CHECK(binary(oid::kInt8, ints, 0) == "0000000000000001");
    CHECK(binary(oid::kInt2, ints, 2) == "null");
    CHECK(binary(oid::kOid, Value::ofLong(4'000'000'000)) == "ee6b2800");
    CHECK(text(oid::kInt8, Value::ofLong(-7)) == "-7");
    CHECK(text(oid::kBool, Value::ofBool(true)) == "t");
    CHECK(binary(oid::kBool, Value::ofBool(false)) == "00");
    CHECK_THROWS_AS(text(oid::kInt2, Value::ofLong(70'000)), SqlError);
}

TEST_CASE("numbers are shown as their type shows them") {
    CHECK(text(oid::kFloat8, Value::ofDouble(1e15)) == "1e+15");
    CHECK(text(oid::kFloat4, Value::ofFloat(0.1F)) == "0.1");
    CHECK(binary(oid::kFloat8, Value::ofDouble(1)) == "3ff0000000000000");
    CHECK(binary(oid::kFloat4, Value::ofDouble(1)) == "3f800000");
    const Value price = decimal::make(Type::Decimal64, 12345, 2);
    CHECK(text(oid::kNumeric, price) == "123.45");
    CHECK(text(oid::kNumeric, price, numericModifier(10, 3)) == "123.450");
    CHECK(text(oid::kNumeric, Value::ofLong(7)) == "7");
    CHECK(text(oid::kNumeric, Value::ofDouble(1e20)) == "100000000000000000000");
    CHECK(binary(oid::kNumeric, price) ==
          "000200000000000200"
          "7b1194");
    CHECK(text(oid::kNumeric, Value::nullOf(Type::Decimal64)) == "null");
}

TEST_CASE("times of any of the engine's types become PostgreSQL's") {
    CHECK(text(oid::kDate, Value::scalar(Type::Date, 0)) == "1970-01-01");
    CHECK(text(oid::kDate, Value::scalar(Type::Month, 1970 * 12 + 1)) == "1970-02-01");
    CHECK(binary(oid::kDate, Value::scalar(Type::Date, 10'957)) == "00000000");
    CHECK(text(oid::kTimestamp, Value::scalar(Type::NanoTimestamp, 1'500'000'999)) == "1970-01-01 00:00:01.5");
    CHECK(text(oid::kTimestamp, Value::scalar(Type::Timestamp, -1)) == "1969-12-31 23:59:59.999");
    CHECK(text(oid::kTimestamptz, Value::scalar(Type::DateTime, 0)) == "1970-01-01 00:00:00+00");
    CHECK(binary(oid::kTimestamp, Value::scalar(Type::DateTime, 946'684'801)) == "00000000000f4240");
    CHECK(text(oid::kTime, Value::scalar(Type::Minute, 90)) == "01:30:00");
    CHECK(text(oid::kTime, Value::scalar(Type::Second, 1)) == "00:00:01");
    CHECK(binary(oid::kTime, Value::scalar(Type::Time, 1)) == "00000000000003e8");
    const Value days = Value::of(Vector::of<int64_t>(Type::NanoTimestamp, {0, 86'400'000'000'000, null<int64_t>}));
    auto encoder = makeFieldEncoder({.label = {}, .type = oid::kTimestamp}, false, days, {});
    std::string out;
    for (int row = 0; row < 3; ++row) encoder->append(out, row);
    CHECK(out == std::string("\0\0\0\x13"
                             "1970-01-01 00:00:00\0\0\0\x13"
                             "1970-01-02 00:00:00\xff\xff\xff\xff",
                             50));
    CHECK(binary(oid::kInterval, Value::ofString("1 mon 2 days 00:00:01")) ==
          "00000000000f4240"
          "00000002"
          "00000001");
}

TEST_CASE("texts and bytes are sent as they are") {
    CHECK(text(oid::kText, Value::ofString("ä")) == "ä");
    CHECK(text(oid::kText, Value::ofString("")) == "null");
    CHECK(text(oid::kText, Value::ofString(std::string_view("\0", 1))).empty());
    CHECK(text(oid::kText, Value::ofLong(5)) == "5");
    CHECK(text(oid::kBytea, Value::ofString("a\\", Type::Blob)) == "\\x615c");
    CHECK(binary(oid::kBytea, Value::ofString("a\\", Type::Blob)) == "615c");
    CHECK(binary(oid::kJsonb, Value::ofString("{}")) == "017b7d");
    const char bytes[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    const Value uuid = Value::ofBytes16(Type::Uuid, bytes);
    CHECK(text(oid::kUuid, uuid) == "00010203-0405-0607-0809-0a0b0c0d0e0f");
    CHECK(binary(oid::kUuid, uuid) == "000102030405060708090a0b0c0d0e0f");
}

TEST_CASE("arrays are sent in braces, or with the type of their elements") {
    const Value rows = Value::of(
        makeRef<ArrayVector>(Vector::of<int32_t>(Type::Int, {1, null<int32_t>, 3}), std::vector<int32_t>{2, 3}));
    std::string out;
    makeFieldEncoder({.label = {}, .type = oid::kInt4Array}, false, rows, {})->append(out, 0);
    CHECK(out.substr(4) == "{1,NULL}");
    CHECK(binary(oid::kInt4Array, rows, 1) ==
          "00000001"
          "00000000"
          "00000017"
          "00000001"
          "00000001"
          "00000004"
          "00000003");
    CHECK(text(oid::kTextArray, Value::ofString("{a,\"b c\"}")) == "{a,\"b c\"}");
    CHECK(binary(oid::kTextArray, Value::ofString("{}")) ==
          "00000000"
          "00000000"
          "00000019");
    CHECK(binary(oid::kTextArray, Value::ofString("{\"\",NULL}")) ==
          "00000001"
          "00000001"
          "00000019"
          "00000002"
          "00000001"
          "00000000"
          "ffffffff");
    CHECK(binary(oid::kInt2Vector, Value::ofString("7")) ==
          "00000001"
          "00000000"
          "00000015"
          "00000001"
          "00000000"
          "00000002"
          "0007");
}
