// Converts dates and times, which are stored as integers, to and from each other and strings.
//
// Stored values are those of the types (type_table.h): DATE counts days since 1970.01.01, MONTH counts months since
// year 0, and so on. All functions are pure and total over their documented ranges; NULLs must be handled by the caller
// unless said otherwise. The civil calendar is the proleptic Gregorian one (algorithms: Hinnant, "chrono-compatible
// low-level date algorithms").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/type_table.h"

namespace pelorus::calendar {

constexpr int64_t kSecondsPerDay = 86400;
constexpr int64_t kMillisPerDay = kSecondsPerDay * 1000;
constexpr int64_t kNanosPerSecond = 1000000000;
constexpr int64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;

struct CivilDate {
    int32_t year;
    int32_t month;  // 1 … 12
    int32_t day;    // 1 … 31
};

constexpr int64_t floorDivide(int64_t x, int64_t divisor) {
    int64_t quotient = x / divisor;
    return x % divisor < 0 ? quotient - 1 : quotient;
}
constexpr int64_t floorModulo(int64_t x, int64_t divisor) {
    int64_t remainder = x % divisor;
    return remainder < 0 ? remainder + divisor : remainder;
}

// Returns the days since 1970.01.01; a day outside its month continues into the adjacent months. REQUIRES: 1 <= month
// <= 12.
constexpr int64_t daysFromCivil(int64_t year, int32_t month, int32_t day) {
    year -= month <= 2;
    int64_t era = floorDivide(year, 400);
    int64_t yearOfEra = year - era * 400;
    int64_t dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146097 + dayOfEra - 719468;
}

constexpr CivilDate civilFromDays(int64_t days) {
    days += 719468;
    int64_t era = floorDivide(days, 146097);
    int64_t dayOfEra = days - era * 146097;
    int64_t yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
    int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int64_t shifted = (5 * dayOfYear + 2) / 153;  // months since March
    auto day = static_cast<int32_t>(dayOfYear - (153 * shifted + 2) / 5 + 1);
    auto month = static_cast<int32_t>(shifted < 10 ? shifted + 3 : shifted - 9);
    return {static_cast<int32_t>(yearOfEra + era * 400 + (month <= 2)), month, day};
}

constexpr bool isLeapYear(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}
// REQUIRES: 1 <= month <= 12.
int32_t daysInMonth(int64_t year, int32_t month);
bool isDate(int64_t year, int32_t month, int32_t day);
// Returns the day of the week; Monday is 0.
constexpr int32_t weekdayFromDays(int64_t days) {
    return static_cast<int32_t>(floorModulo(days + 3, 7));
}
// Returns that day of the month `months` later, or that month's last day when it is shorter.
int64_t addMonths(int64_t days, int64_t months);

// The unit of the stored integer of a temporal type:
//   TimeOfDay  MINUTE SECOND TIME NANOTIME: units since midnight
//   Instant    DATE DATEHOUR DATETIME TIMESTAMP NANOTIMESTAMP: units since 1970
//   Month      MONTH
enum class TemporalKind : uint8_t { None, TimeOfDay, Instant, Month };
TemporalKind temporalKind(Type type);
// Returns the units of the type in one day; 0 for MONTH and types that are not temporal.
int64_t unitsPerDay(Type type);

// Returns the nanoseconds in one unit of a DURATION; 0 for months, years and business days, whose length varies.
int64_t nanosPerUnit(DurationUnit unit);
// Returns the name of a unit, such as "ms" or "B".
std::string_view unitName(DurationUnit unit);
bool unitByName(std::string_view name, DurationUnit& unit);

// Returns whether the language converts `from` to `to`.
bool canConvert(Type from, Type to);
// Converts a stored value to another temporal type: it is rounded towards minus infinity where detail is lost, and
// becomes midnight where the time is missing. NULL remains NULL; values that the target cannot represent become NULL.
// REQUIRES: canConvert(from, to).
int64_t convert(int64_t stored, Type from, Type to);

// Parses a literal of the type (DATEHOUR as 2024.03.15T13) with `-` or `/` allowed between the parts of a date. Returns
// false when the string is not one literal.
bool parse(std::string_view string, Type type, int64_t& stored);

// Appends the printed form of a stored value; NULL appends nothing.
void append(std::string& string, Type type, int64_t stored);

}  // namespace pelorus::calendar
