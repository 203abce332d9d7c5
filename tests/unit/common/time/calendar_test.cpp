#include "common/time/calendar.h"

#include <catch2/catch.hpp>

using namespace pelorus;

TEST_CASE("days and civil dates are inverses over a thousand years") {
    int64_t day = calendar::daysFromCivil(1500, 1, 1);
    calendar::CivilDate previous = calendar::civilFromDays(day - 1);
    for (; day < calendar::daysFromCivil(2500, 1, 1); ++day) {
        calendar::CivilDate date = calendar::civilFromDays(day);
        REQUIRE(calendar::daysFromCivil(date.year, date.month, date.day) == day);
        bool next = date.day == previous.day + 1 ||
                    (date.day == 1 && previous.day == calendar::daysInMonth(previous.year, previous.month));
        REQUIRE(next);
        previous = date;
    }
}

TEST_CASE("known dates have their weekday") {
    CHECK(calendar::daysFromCivil(1970, 1, 1) == 0);
    CHECK(calendar::weekdayFromDays(0) == 3);                                      // a Thursday
    CHECK(calendar::weekdayFromDays(calendar::daysFromCivil(2024, 3, 15)) == 4);   // a Friday
    CHECK(calendar::weekdayFromDays(calendar::daysFromCivil(1969, 12, 29)) == 0);  // a Monday
}

TEST_CASE("months keep the day or take the last of a shorter month") {
    auto day = [](int y, int m, int d) { return calendar::daysFromCivil(y, m, d); };
    CHECK(calendar::addMonths(day(2024, 1, 31), 1) == day(2024, 2, 29));
    CHECK(calendar::addMonths(day(2023, 1, 31), 1) == day(2023, 2, 28));
    CHECK(calendar::addMonths(day(2024, 3, 15), -15) == day(2022, 12, 15));
}

TEST_CASE("conversions lose detail towards minus infinity and refuse what has no meaning") {
    CHECK(calendar::convert(-1, Type::Timestamp, Type::Date) == -1);
    CHECK(calendar::convert(1, Type::Date, Type::DateTime) == 86400);
    CHECK(calendar::convert(86399, Type::DateTime, Type::Minute) == 1439);
    CHECK(calendar::convert(0, Type::Date, Type::Month) == 1970 * 12);
    CHECK(calendar::convert(null<int32_t>, Type::Date, Type::Timestamp) == null<int64_t>);
    CHECK(calendar::convert(INT32_MAX, Type::Date, Type::DateTime) == null<int32_t>);
    CHECK_FALSE(calendar::canConvert(Type::Second, Type::Date));
    CHECK_FALSE(calendar::canConvert(Type::Date, Type::Minute));
    CHECK(calendar::canConvert(Type::Timestamp, Type::NanoTime));
}

TEST_CASE("what is shown of a time reads back as the same time") {
    for (Type type : {Type::Date, Type::Month, Type::Minute, Type::Second, Type::Time, Type::NanoTime, Type::DateTime,
                      Type::DateHour, Type::Timestamp, Type::NanoTimestamp}) {
        for (int64_t stored : {int64_t{0}, int64_t{1}, int64_t{1234}, int64_t{23999}}) {
            int64_t value = type == Type::Minute ? stored % 1440 : type == Type::Month ? stored + 12000 : stored;
            std::string string;
            calendar::append(string, type, value);
            int64_t back = -1;
            INFO(typeName(type) << " " << string);
            REQUIRE(calendar::parse(string, type, back));
            CHECK(back == value);
        }
    }
}

TEST_CASE("text that is no time is refused") {
    int64_t stored;
    CHECK_FALSE(calendar::parse("2024.02.30", Type::Date, stored));
    CHECK_FALSE(calendar::parse("2024.13M", Type::Month, stored));
    CHECK_FALSE(calendar::parse("24:00:00", Type::Second, stored));
    CHECK_FALSE(calendar::parse("2024.01.01 ", Type::Date, stored));
    CHECK_FALSE(calendar::parse("", Type::Timestamp, stored));
    CHECK(calendar::parse("2024-01-01", Type::Date, stored));
}
