// ScheduleRule determines when a schedule fires: at minutes of the day between two dates, daily, on days of the week or
// on days of the month.
//
// All times are local times of the node's clock, in minutes since 1970. When clocks are set forward, a time in the
// skipped hour fires when the clock has passed it; when they are set back, no time fires twice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pelorus {

// The times of one schedule, a plain value. The other functions require that `require` accepts it.
struct ScheduleRule {
    std::vector<int> minutes;  // minutes of the day, ascending, at least kMinGapMinutes apart
    int64_t startDay = 0;      // days since 1970; the first and the last day are included
    int64_t endDay = 0;
    char frequency = 'D';   // 'D' daily, 'W' weekly, 'M' monthly
    std::vector<int> days;  // W: 0 (Sunday) to 6; M: 1 to 31; D: empty

    static constexpr int kMinGapMinutes = 5;

    // Throws UserError when the rule is invalid; the error points at the parameter of scheduleJob that is wrong.
    void require() const;
    // Returns whether the schedule fires on a day, given in days since 1970.
    bool isOn(int64_t day) const;
    // Returns the first time after `minute`, and nullopt when there is none.
    std::optional<int64_t> next(int64_t minute) const;
    // Returns the times in (after, until] in ascending order; of more than `most` the latest ones.
    std::vector<int64_t> between(int64_t after, int64_t until, size_t most) const;
};

}  // namespace pelorus
