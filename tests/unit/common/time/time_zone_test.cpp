#include "common/time/time_zone.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "common/error.h"
#include "common/time/calendar.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;

namespace {

int64_t secondsAt(int32_t year, int32_t month, int32_t day, int64_t hour, int64_t minute = 0) {
    return calendar::daysFromCivil(year, month, day) * 86'400 + hour * 3600 + minute * 60;
}

constexpr int64_t kHour = 3600;

}  // namespace

TEST_CASE("clocks change in the moment of the rule, this year and in every later one") {
    const auto zone = TimeZone::find("America/New_York");
    const int64_t spring = secondsAt(2024, 3, 10, 7), autumn = secondsAt(2024, 11, 3, 6);
    CHECK(zone->offsetAt(spring - 1) == -5 * kHour);
    CHECK(zone->offsetAt(spring) == -4 * kHour);
    CHECK(zone->offsetAt(autumn - 1) == -4 * kHour);
    CHECK(zone->offsetAt(autumn) == -5 * kHour);
    // Dates repeat after 400 years.
    constexpr int64_t kCycle = 146'097 * int64_t{86'400};
    for (const int64_t cycles : {1, 2, 25}) {
        CHECK(zone->offsetAt(spring + cycles * kCycle - 1) == -5 * kHour);
        CHECK(zone->offsetAt(spring + cycles * kCycle) == -4 * kHour);
    }
    CHECK(zone->offsetAt(secondsAt(2300, 7, 1, 0)) == -4 * kHour);
}

TEST_CASE("a time that clocks show twice or skip is read by the clocks before the change") {
    const auto zone = TimeZone::find("America/New_York");
    CHECK(zone->offsetAtLocal(secondsAt(2024, 3, 10, 1, 59)) == -5 * kHour);
    CHECK(zone->offsetAtLocal(secondsAt(2024, 3, 10, 2, 30)) == -5 * kHour);
    CHECK(zone->offsetAtLocal(secondsAt(2024, 3, 10, 3)) == -4 * kHour);
    CHECK(zone->offsetAtLocal(secondsAt(2024, 11, 3, 1, 30)) == -4 * kHour);
    CHECK(zone->offsetAtLocal(secondsAt(2024, 11, 3, 2)) == -5 * kHour);
}

TEST_CASE("zones without changes keep their offset, and before the first change its own holds") {
    CHECK(TimeZone::find("UTC")->offsetAt(0) == 0);
    const auto tokyo = TimeZone::find("Asia/Tokyo");
    CHECK(tokyo->offsetAt(secondsAt(2024, 1, 1, 0)) == 9 * kHour);
    CHECK(tokyo->offsetAtLocal(secondsAt(9999, 1, 1, 0)) == 9 * kHour);
    // Local mean time, before there were zones.
    CHECK(tokyo->offsetAt(INT64_MIN / 2) == 9 * kHour + 18 * 60 + 59);
    CHECK(TimeZone::find("Asia/Tokyo") == tokyo);
}

TEST_CASE("a name that is none is refused, and leads out of the database nowhere") {
    for (const char* name : {"", "Mars/Base", "/etc/passwd", "../../../etc/passwd", "Asia/../UTC", "Asia", "UTC\n"}) {
        INFO(name);
        CHECK_THROWS_AS(TimeZone::find(name), UserError);
    }
    CHECK_THROWS_WITH(TimeZone::find("Mars/Base"), "There is no time zone named Mars/Base.");
}

TEST_CASE("an offset to UTC is a zone, with a name and without one") {
    for (const char* string : {"<+02>-02", "-2", "-02:00", "FOO-2"}) {
        INFO(string);
        REQUIRE(TimeZone::ofOffset(string));
        CHECK(TimeZone::ofOffset(string)->offsetAt(0) == 2 * kHour);
        CHECK(TimeZone::ofOffset(string)->offsetAtLocal(secondsAt(9999, 1, 1, 0)) == 2 * kHour);
    }
    for (const char* string : {"", "+", "Asia/Tokyo", "EST5EDT,M3.2.0,M11.1.0", "-25:00", "-2x", "-"})
        CHECK_FALSE(TimeZone::ofOffset(string));
}

TEST_CASE("a file that is cut off is broken, and a database that is missing is told") {
    const TemporaryFolder folder;
    {
        std::ifstream whole("/usr/share/zoneinfo/America/New_York", std::ios::binary);
        const std::string bytes(std::istreambuf_iterator<char>(whole), {});
        std::ofstream(folder / "Cut", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    }
    {
        const testing::EnvironmentVariable variable("TZDIR", folder.path());
        CHECK_THROWS_WITH(TimeZone::find("Cut"), "The zone file " + folder.path() + "/Cut is broken.");
    }
    const testing::EnvironmentVariable variable("TZDIR", folder / "nowhere");
    CHECK_THROWS_WITH(TimeZone::find("Europe/Nowhere"), "There is no zone database in " + folder.path() + "/nowhere/.");
}
