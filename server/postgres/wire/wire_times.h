// Dates and times as PostgreSQL's clients write and read them: text as ISO 8601 with a blank, binary as microseconds
// since 2000.
//
// Times here are those of the engine: days since 1970, nanoseconds since midnight or 1970. Nanoseconds beyond the
// microsecond are cut on the wire.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pelorus {
class TimeZone;
}

namespace pelorus::postgres {

// Days and microseconds from 1970 to 2000, where binary forms begin.
constexpr int64_t kDaysTo2000 = 10'957;
constexpr int64_t kMicrosTo2000 = kDaysTo2000 * 86'400 * 1'000'000;

void appendDate(std::string& out, int64_t days);
void appendTimeOfDay(std::string& out, int64_t micros);
// Appends "2026-01-02 03:04:05.5".
void appendTimestamp(std::string& out, int64_t micros);
// Appends the time that clocks of the zone show, and their distance from UTC; null denotes UTC.
void appendZonedTimestamp(std::string& out, int64_t micros, const TimeZone* zone);

// Parse what clients send. They throw SqlError 22007 for what is no date or time, 22008 for one out of range. A
// timestamp may have a zone, which counts where `isZoned`; without one it is a time of `zone` then.
int64_t parseDate(std::string_view text);
int64_t parseTimeOfDay(std::string_view text);                                      // nanoseconds
int64_t parseTimestamp(std::string_view text, bool isZoned, const TimeZone* zone);  // nanoseconds

}  // namespace pelorus::postgres
