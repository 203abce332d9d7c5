#include "server/jobs/schedule_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"

namespace pelorus {
namespace {

constexpr int64_t kMinutesPerDay = 1440;
// Arguments of scheduleJob.
constexpr int kTimeAt = 3, kStartAt = 4, kEndAt = 5, kFrequencyAt = 6, kDaysAt = 7;
// Between two times of a rule there are at most eight years: 29 February around a year such as 2100.
constexpr int64_t kMaxDaysBetween = 8 * 366 + 1;

}  // namespace

void ScheduleRule::require() const {
    if (minutes.empty()) throw UserError(kTimeAt, "scheduleTime must be one or more times of day, as 17:30m.");
    for (size_t i = 0; i < minutes.size(); ++i) {
        if (minutes[i] < 0 || minutes[i] >= kMinutesPerDay)
            throw UserError(kTimeAt, "scheduleTime must be times of day, and none of them NULL.");
        const bool isLast = i + 1 == minutes.size();
        const int64_t following = isLast ? minutes[0] + kMinutesPerDay : minutes[i + 1];
        if (following - minutes[i] < kMinGapMinutes) {
            throw UserError(
                kTimeAt,
                fmt::format("Times of a schedule must be at least {} minutes apart, but {:02}:{:02} "
                            "and {:02}:{:02} are not.",
                            kMinGapMinutes, minutes[i] / 60, minutes[i] % 60, following / 60 % 24, following % 60));
        }
    }
    if (frequency != 'D' && frequency != 'W' && frequency != 'M')
        throw UserError(kFrequencyAt, "frequency must be 'D' (daily), 'W' (days of the week) or 'M' (of the month).");
    if (endDay < startDay) throw UserError(kEndAt, "endDate must not be before startDate.");
    if (frequency == 'D') {
        if (!days.empty()) throw UserError(kDaysAt, "days are for the frequencies 'W' and 'M' only.");
        return;
    }
    const int first = frequency == 'W' ? 0 : 1, last = frequency == 'W' ? 6 : 31;
    if (days.empty()) throw UserError(kDaysAt, "days must be given for the frequencies 'W' and 'M'.");
    for (const int day : days) {
        if (day >= first && day <= last) continue;
        throw UserError(kDaysAt,
                        fmt::format("days must be from {} to {} for the frequency '{}'.", first, last, frequency),
                        frequency == 'W' ? "0 is Sunday, 6 is Saturday." : "A month without that day is left out.");
    }
}

bool ScheduleRule::isOn(int64_t day) const {
    if (day < startDay || day > endDay) return false;
    if (frequency == 'D') return true;
    // The calendar counts from Monday, the rule from Sunday.
    const int number = frequency == 'W' ? (calendar::weekdayFromDays(day) + 1) % 7 : calendar::civilFromDays(day).day;
    return std::find(days.begin(), days.end(), number) != days.end();
}

std::optional<int64_t> ScheduleRule::next(int64_t minute) const {
    const int64_t from = std::max(startDay, calendar::floorDivide(minute, kMinutesPerDay));
    const int64_t last = std::min(endDay, from + kMaxDaysBetween);
    for (int64_t day = from; day <= last; ++day) {
        if (!isOn(day)) continue;
        for (const int m : minutes) {
            if (day * kMinutesPerDay + m > minute) return day * kMinutesPerDay + m;
        }
    }
    return std::nullopt;
}

std::vector<int64_t> ScheduleRule::between(int64_t after, int64_t until, size_t most) const {
    std::vector<int64_t> times;
    const int64_t first = std::max(startDay, calendar::floorDivide(after, kMinutesPerDay));
    for (int64_t day = std::min(endDay, calendar::floorDivide(until, kMinutesPerDay)); day >= first; --day) {
        if (!isOn(day)) continue;
        for (auto m = minutes.rbegin(); m != minutes.rend(); ++m) {
            const int64_t time = day * kMinutesPerDay + *m;
            if (time > until || time <= after) continue;
            times.push_back(time);
            if (times.size() < most) continue;
            std::reverse(times.begin(), times.end());
            return times;
        }
    }
    std::reverse(times.begin(), times.end());
    return times;
}

}  // namespace pelorus
