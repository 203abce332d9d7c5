// TimeZoneRule determines the changes of a time zone after the last one that its file lists, by the TZ string of POSIX
// at the end of TZif files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pelorus {

// A rule for all later years: one offset, or two that alternate at two days of each year. Immutable, and so
// thread-safe.
class TimeZoneRule {
public:
    struct Change {
        int64_t at;      // seconds since 1970 UTC
        int64_t offset;  // seconds that clocks are ahead of UTC from then on
    };

    // Parses a TZ string such as EST5EDT,M3.2.0,M11.1.0 or <+03>-3. Returns nullopt for any other string.
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

    // A day of each year, and a time of that day by the clock that is in force before it; the time may be outside of
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
        YearlyTime start;  // time by the clock of standard time
        YearlyTime end;    // time by the clock of summer time
    };
    class Parser;

    int64_t standardOffset_ = 0;
    std::optional<Summer> summer_;
};

}  // namespace pelorus
