// When a schedule fires: at minutes of days between two dates, daily, on days of the week or of the month.
//
// All times are local times of the node's clock, in minutes since 1970. Where clocks are set forward, a time in the
// hour that is left out fires when the clock has passed it; where they are set back, no time fires twice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pelorus {

struct ScheduleRule {
    std::vector<int> minutes;  // of the day, ascending, at least kMinGapMinutes apart
    int64_t startDay = 0;      // days since 1970, both included
    int64_t endDay = 0;
    char frequency = 'D';   // D, W or M
    std::vector<int> days;  // W: 0 (Sunday) to 6; M: 1 to 31; D: empty

    static constexpr int kMinGapMinutes = 5;

    // Throws UserError that says which part is wrong, by the parameters of scheduleJob.
    void require() const;
    bool isOn(int64_t day) const;
    // Returns the first time after `minute`; nothing when there is none any more.
    std::optional<int64_t> next(int64_t minute) const;
    // Returns the times in (after, until], at most `most`, the latest ones.
    std::vector<int64_t> between(int64_t after, int64_t until, size_t most) const;
};

}  // namespace pelorus
