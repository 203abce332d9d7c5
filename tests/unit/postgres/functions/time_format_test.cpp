#include "postgres/functions/time_format.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("to_char and to_timestamp know the patterns") {
    const Value at = parseText("2026-03-05 14:07:09.25", oid::kTimestamp, -1);
    CHECK(formatTime(at, "YYYY-MM-DD HH24:MI:SS.MS") == "2026-03-05 14:07:09.250");
    CHECK(formatTime(at, "FMDay, FMDDth Mon YY HH12:MI AM") == "Thursday, 5th Mar 26 02:07 PM");
    CHECK(formatTime(at, "Q IYYY-IW \"text\" DDD") == "1 2026-10 text 064");
    CHECK(formatNumber(Value::ofInt(1234), "9,999") == " 1,234");
    CHECK(formatNumber(Value::ofDouble(-12.345), "999.99") == " -12.35");
    CHECK(formatNumber(Value::ofInt(7), "FM000") == "007");
    CHECK(formatNumber(Value::ofInt(12345), "999") == " ###");
    CHECK(parseByFormat("05/03/2026 14:07", "DD/MM/YYYY HH24:MI") ==
          parseText("2026-03-05 14:07:00", oid::kTimestamp, -1).integer());
    CHECK_THROWS_AS(parseByFormat("x", "YYYY"), SqlError);
    CHECK_THROWS_AS(parseByFormat("2026-02-30", "YYYY-MM-DD"), SqlError);
}

TEST_CASE("fields of times") {
    const Value at = parseText("2026-03-05 14:07:09.25", oid::kTimestamp, -1);
    CHECK(timePart(timeField("seconds"), at) == 9'250'000);
    CHECK(timePart(timeField("dow"), at) == 4'000'000);
    CHECK(timePart("century", at) == 21'000'000);
    CHECK_THROWS_AS(timeField("fortnight"), SqlError);
    CHECK_THROWS_AS(timePart("year", parseText("01:00", oid::kTime, -1)), SqlError);
    CHECK(truncateTime("week", at.integer()) == parseText("2026-03-02", oid::kTimestamp, -1).integer());
}
