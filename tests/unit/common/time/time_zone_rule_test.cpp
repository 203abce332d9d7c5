#include "common/time/time_zone_rule.h"

#include <catch2/catch.hpp>

#include "common/time/calendar.h"

using namespace pelorus;

namespace {

int64_t utc(int year, int month, int day, int hour) {
    return calendar::daysFromCivil(year, month, day) * calendar::kSecondsPerDay + hour * 3600;
}

std::vector<TimeZoneRule::Change> changesOf(const char* string, int year) {
    const auto rule = TimeZoneRule::parse(string);
    REQUIRE(rule);
    return rule->changesOf(year, year);
}

}  // namespace

TEST_CASE("a rule with one offset never changes") {
    const auto rule = TimeZoneRule::parse("<+0530>-5:30");
    REQUIRE(rule);
    CHECK_FALSE(rule->changes());
    CHECK(rule->standardOffset() == 19800);
    CHECK(rule->changesOf(2000, 2100).empty());
}

TEST_CASE("weeks of a month count from its first such weekday, and five is the last one") {
    const auto newYork = changesOf("EST5EDT,M3.2.0,M11.1.0", 2045);
    REQUIRE(newYork.size() == 2);
    CHECK(newYork[0].at == utc(2045, 3, 12, 7));
    CHECK(newYork[0].offset == -4 * 3600);
    CHECK(newYork[1].at == utc(2045, 11, 5, 6));
    CHECK(newYork[1].offset == -5 * 3600);
    const auto berlin = changesOf("CET-1CEST,M3.5.0,M10.5.0/3", 2045);
    CHECK(berlin[0].at == utc(2045, 3, 26, 1));
    CHECK(berlin[1].at == utc(2045, 10, 29, 1));
}

TEST_CASE("in the south summer time begins behind its end, and winter may be the time that is set back") {
    const auto sydney = changesOf("AEST-10AEDT,M10.1.0,M4.1.0/3", 2045);
    CHECK(sydney[0].offset == 10 * 3600);
    CHECK(sydney[1].offset == 11 * 3600);
    const auto dublin = changesOf("IST-1GMT0,M10.5.0,M3.5.0/1", 2045);
    CHECK(dublin[0].offset == 3600);
    CHECK(dublin[1].offset == 0);
}

TEST_CASE("days are counted with and without the leap day, and times may lie days away") {
    CHECK(changesOf("AAA0BBB,J60/0,J300/0", 2044)[0].at == utc(2044, 3, 1, 0));
    CHECK(changesOf("AAA0BBB,60/0,J300/0", 2044)[0].at == utc(2044, 3, 1, 0));
    CHECK(changesOf("AAA0BBB,60/0,J300/0", 2045)[0].at == utc(2045, 3, 2, 0));
    CHECK(changesOf("AAA0BBB,J60/-26,J300/0", 2045)[0].at == utc(2045, 2, 27, 22));
}

TEST_CASE("what is no rule is refused") {
    for (const char* string :
         {"", "E5", "EST", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
          "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J1", "EST5EDT,366,J1", "<EST5", "EST25", "EST5:60",
          "EST5EDT,M3.2.0,M11.1.0x", "EST5EDT,M3.2.0/168,M11.1.0", "EST99999999999"}) {
        CAPTURE(string);
        CHECK_FALSE(TimeZoneRule::parse(string));
    }
}
