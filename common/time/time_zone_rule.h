// Rule by which a time zone goes on after the last change that its file lists: the TZ string of POSIX at the end of
// TZif files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pelorus {

// A rule for all years to come: one offset, or two that take turns at two days of each year. Immutable, so any thread
// may ask.
class TimeZoneRule {
public:
    struct Change {
        int64_t at;      // seconds since 1970 UTC
        int64_t offset;  // seconds that clocks are ahead of UTC from then on
    };

    // Parses a TZ string, as EST5EDT,M3.2.0,M11.1.0 or <+03>-3. Returns none when it is not one.
    static std::optional<TimeZoneRule> parse(std::string_view string);

    // Returns whether clocks change in each year.
    bool changes() const { return summer_.has_value(); }
    // Returns the offset outside of summer time, in seconds.
    int64_t standardOffset() const { return standardOffset_; }
    // Returns the changes of the years from `first` to `last`, both included, in their order in time. Linear in the
    // years.
    std::vector<Change> changesOf(int64_t first, int64_t last) const;

private:
    enum class DayKind { Julian, DayOfYear, WeekdayOfMonth };

    // A day of each year, and a time of that day by the clock that is in force before it; the time may lie outside of
    // the day.
    struct YearlyTime {
        DayKind kind;
        int day = 0;    // Julian: 1 to 365 without the 29 February; DayOfYear: from 0; WeekdayOfMonth: 0 is Sunday
        int week = 0;   // WeekdayOfMonth: 1 to 5, where 5 is the last one of the month
        int month = 0;  // WeekdayOfMonth: 1 to 12
        int64_t seconds = 2 * 3600;

        // Returns the seconds from 1970 to this time of a year, as a clock shows them.
        int64_t inYear(int64_t year) const;
    };
    struct Summer {
        int64_t offset;
        YearlyTime start;  // by the clock of standard time
        YearlyTime end;    // by the clock of summer time
    };
    class Parser;

    int64_t standardOffset_ = 0;
    std::optional<Summer> summer_;
};

}  // namespace pelorus
