#include "postgres/functions/time_texts.h"

#include "tests/unit/postgres/answers.h"

using namespace pelorus;
using namespace pelorus::postgres;
using namespace pelorus::testing;

TEST_CASE("dates and times are read in many forms, and shown in one") {
    CHECK(dateText(parseDateText("2026-02-28")) == "2026-02-28");
    CHECK(dateText(parseDateText("2/28/2026")) == "2026-02-28");
    CHECK(dateText(parseDateText("20260228")) == "2026-02-28");
    CHECK(dateText(parseDateText("February 28, 2026")) == "2026-02-28");
    CHECK(dateText(parseDateText("28-Feb-2026")) == "2026-02-28");
    CHECK(timeText(parseTimeText("01:02:03.50")) == "01:02:03.5");
    CHECK(timeText(parseTimeText("1:02 pm")) == "13:02:00");
    CHECK(timestampText(parseTimestampText("2026-02-28T01:02:03.000001", false), false) ==
          "2026-02-28 01:02:03.000001");
    CHECK(timestampText(parseTimestampText("2026-02-28 01:02:03+02", true), true) == "2026-02-27 23:02:03+00");
    CHECK(timestampText(parseTimestampText("2026-02-28", false), false) == "2026-02-28 00:00:00");
    for (const char* wrong : {"", "x", "2026-02", "2026-13-01x", "12:00"})
        CHECK_THROWS_AS(parseDateText(wrong), SqlError);
    for (const char* wrong : {"2026-02-30", "2026-13-01", "infinity", "3000-01-01"})
        CHECK_THROWS_AS(parseTimestampText(wrong, false), SqlError);
}

TEST_CASE("intervals are read in many forms") {
    const auto again = [](std::string_view text) { return intervalText(parseIntervalText(text)); };
    CHECK(again("1 year 2 months") == "1 year 2 mons");
    CHECK(again("1-2") == "1 year 2 mons");
    CHECK(again("P1Y2M3DT4H5M6S") == "1 year 2 mons 3 days 04:05:06");
    CHECK(again("90 minutes") == "01:30:00");
    CHECK(again("1.5 days") == "1 day 12:00:00");
    CHECK(again("-1 day 02:03") == "-1 days +02:03:00");
    CHECK(again("2 weeks ago") == "-14 days");
    CHECK(again("0 s") == "00:00:00");
    for (const char* wrong : {"", "x", "1 fortnight", "-"}) CHECK_THROWS_AS(parseIntervalText(wrong), SqlError);
    CHECK(addInterval(parseTimestampText("2026-01-31", false).integer(), {1, 0, 0}, 1) ==
          parseTimestampText("2026-02-28", false).integer());
    CHECK_THROWS_AS(addInterval(0, {INT32_MAX, 0, 0}, 1), SqlError);
}
