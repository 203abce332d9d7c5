// Dates, times and durations as PostgreSQL reads and writes them (DateStyle ISO, MDY; IntervalStyle postgres).
#pragma once

#include <string>
#include <string_view>

#include "postgres/functions/conversions.h"

namespace pelorus::postgres {

// Throw SqlError 22007 for a string that is none, 22008 for one out of range.
Value parseDateText(std::string_view text);                     // DATE
Value parseTimeText(std::string_view text);                     // NANOTIME
Value parseTimestampText(std::string_view text, bool hasZone);  // NANOTIMESTAMP, in UTC when it has a zone
Interval parseIntervalText(std::string_view text);

std::string dateText(const Value& instant);
std::string timeText(const Value& timeOfDay);
std::string timestampText(const Value& instant, bool hasZone);
std::string intervalText(const Interval& interval);
// Returns the string of a value of a type that only the engine knows, such as INT128.
std::string plainText(const Value& value);

// Returns an instant some time later. Months first, then days, then the rest. Throws SqlError 22008.
int64_t addInterval(int64_t nanos, const Interval& interval, int sign);

}  // namespace pelorus::postgres
