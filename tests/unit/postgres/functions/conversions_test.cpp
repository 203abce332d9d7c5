#include "postgres/functions/conversions.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("texts become values, and values their texts again") {
    const auto again = [](std::string_view text, Oid type, int32_t modifier = -1) {
        return textForm(parseText(text, type, modifier), type, modifier);
    };
    CHECK(again(" 42 ", oid::kInt4) == "42");
    CHECK(again("-1.50", oid::kNumeric) == "-1.50");
    CHECK(again("1.005", oid::kNumeric, numericModifier(5, 2)) == "1.01");
    CHECK(again("1e3", oid::kNumeric) == "1000");
    CHECK(again("0.1", oid::kFloat8) == "0.1");
    CHECK(again("1e20", oid::kFloat8) == "1e+20");
    CHECK(again("0.00001", oid::kFloat8) == "1e-05");
    CHECK(again("123456789.125", oid::kFloat8) == "123456789.125");
    CHECK(again("yes", oid::kBool) == "true");
    CHECK(again("\\xDEad", oid::kBytea) == "\\xdead");
    CHECK(again("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", oid::kUuid) == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    CHECK(again("", oid::kText).empty());
    CHECK_FALSE(parseText("", oid::kText, -1).isNull());
}

TEST_CASE("texts that are no values are refused with their state") {
    const auto state = [](std::string_view text, Oid type, int32_t modifier = -1) {
        try {
            parseText(text, type, modifier);
        } catch (const SqlError& error) {
            return error.state();
        }
        return std::string();
    };
    CHECK(state("4x", oid::kInt4) == "22P02");
    CHECK(state("99999999999", oid::kInt4) == "22003");
    CHECK(state("-2147483648", oid::kInt4) == "22003");
    CHECK(state("1e400", oid::kFloat8) == "22003");
    CHECK(state("nan", oid::kFloat8) == "22003");
    CHECK(state("-1.7976931348623157e308", oid::kFloat8) == "22003");
    CHECK(state("-3.4028235e38", oid::kFloat4) == "22003");
    CHECK(state("123.45", oid::kNumeric, numericModifier(4, 2)) == "22003");
    CHECK(state("maybe", oid::kBool) == "22P02");
    CHECK(state("\\x0", oid::kBytea) == "22023");
    CHECK(state("12", oid::kUuid) == "22P02");
    CHECK(state("1234567890123456789012345678901234567890", oid::kNumeric) == "22003");
}

TEST_CASE("numbers round as PostgreSQL's") {
    CHECK(convertNumber(Value::ofDouble(2.5), oid::kInt4, 0, 38).integer() == 2);
    CHECK(convertNumber(parseText("2.5", oid::kNumeric, -1), oid::kInt4, 0, 38).integer() == 3);
    CHECK_THROWS_AS(convertNumber(Value::ofDouble(1e300), oid::kInt8, 0, 38), SqlError);
    CHECK(textForm(intervalValue({14, 3, 3'723'000'000}), oid::kInterval, -1) == "1 year 2 mons 3 days 01:02:03");
    CHECK(intervalOf(intervalValue({})).months == 0);
    CHECK(textOfValue(varcharOf("äöü", 2, false)) == "äö");
}
