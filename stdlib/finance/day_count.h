// Day count conventions: the share of a year between two dates.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pelorus {

enum class DayCount : uint8_t {
    Thirty360US,
    ActualActualIsma,
    Actual360,
    Actual365,
    Thirty360EU,
    ActualActualIsda,
};

// Returns the convention of a name such as Thirty360US; nothing for others.
std::optional<DayCount> dayCountOf(std::string_view name);
// Returns the days between two dates (since 1970) as 30/360 rules count them, months as 30 days.
int64_t daysOf360(int64_t from, int64_t to, bool isEuropean);
// Returns the share of a year from one date to another, below 0 when `to` is before. ActualActualIsma counts by the
// period from `referenceFrom` to `referenceTo`, both dates themselves where they are left out (ISDA 2006 definitions,
// section 4.16; ISMA rule 251).
double yearFraction(DayCount convention, int64_t from, int64_t to,
                    std::optional<std::pair<int64_t, int64_t>> reference = {});

}  // namespace pelorus
