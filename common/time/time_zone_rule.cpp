#include "common/time/time_zone_rule.h"

#include <algorithm>
#include <cctype>

#include "common/time/calendar.h"

namespace pelorus {

// Reader of a TZ string from left to right. Each method returns false, or nullopt, when the string does not continue as
// it must.
class TimeZoneRule::Parser {
public:
    explicit Parser(std::string_view string) : string_(string) {}

    bool atEnd() const { return at_ == string_.size(); }
    bool skip(char letter) {
        if (atEnd() || string_[at_] != letter) return false;
        ++at_;
        return true;
    }

    // Skips the name of an offset: three letters or more, or anything between < and >.
    bool skipName() {
        const bool quoted = skip('<');
        const size_t first = at_;
        while (!atEnd() && (quoted ? string_[at_] != '>' : std::isalpha(static_cast<unsigned char>(string_[at_])) != 0))
            ++at_;
        return at_ - first >= 3 && (!quoted || skip('>'));
    }

    // Reads hh, hh:mm or hh:mm:ss with an optional sign, as seconds.
    std::optional<int64_t> time(int maxHours) {
        const bool negative = skip('-');
        if (!negative) skip('+');
        std::optional<int> part = number(0, maxHours);
        if (!part) return std::nullopt;
        int64_t seconds = *part * 3600;
        for (const int unit : {60, 1}) {
            if (!skip(':')) break;
            part = number(0, 59);
            if (!part) return std::nullopt;
            seconds += *part * unit;
        }
        return negative ? -seconds : seconds;
    }

    std::optional<YearlyTime> yearlyTime() {
        YearlyTime time{};
        time.seconds = 2 * 3600;
        std::optional<int> day;
        if (skip('M')) {
            time.kind = DayKind::WeekdayOfMonth;
            const std::optional<int> month = number(1, 12);
            const std::optional<int> week = month && skip('.') ? number(1, 5) : std::nullopt;
            day = week && skip('.') ? number(0, 6) : std::nullopt;
            time.month = month.value_or(0);
            time.week = week.value_or(0);
        } else {
            time.kind = skip('J') ? DayKind::Julian : DayKind::DayOfYear;
            day = time.kind == DayKind::Julian ? number(1, 365) : number(0, 365);
        }
        if (!day) return std::nullopt;
        time.day = *day;
        if (skip('/')) {
            const std::optional<int64_t> seconds = this->time(kMaxHours);
            if (!seconds) return std::nullopt;
            time.seconds = *seconds;
        }
        return time;
    }

    static constexpr int kMaxHours = 167;  // a week, as RFC 8536 extends POSIX

private:
    std::optional<int> number(int min, int max) {
        const size_t first = at_;
        int value = 0;
        while (!atEnd() && at_ - first < 3 && std::isdigit(static_cast<unsigned char>(string_[at_])) != 0) {
            value = value * 10 + (string_[at_++] - '0');
        }
        if (at_ == first || value < min || value > max) return std::nullopt;
        return value;
    }

    std::string_view string_;
    size_t at_ = 0;
};

std::optional<TimeZoneRule> TimeZoneRule::parse(std::string_view string) {
    Parser parser(string);
    TimeZoneRule rule;
    if (!parser.skipName()) return std::nullopt;
    // POSIX counts hours behind UTC, we count seconds ahead of it.
    std::optional<int64_t> behind = parser.time(24);
    if (!behind) return std::nullopt;
    rule.standardOffset_ = -*behind;
    if (parser.atEnd()) return rule;

    if (!parser.skipName()) return std::nullopt;
    Summer summer{rule.standardOffset_ + 3600, {}, {}};
    if (!parser.skip(',')) {
        behind = parser.time(24);
        if (!behind || !parser.skip(',')) return std::nullopt;
        summer.offset = -*behind;
    }
    const std::optional<YearlyTime> start = parser.yearlyTime();
    const std::optional<YearlyTime> end = start && parser.skip(',') ? parser.yearlyTime() : std::nullopt;
    if (!end || !parser.atEnd()) return std::nullopt;
    summer.start = *start;
    summer.end = *end;
    rule.summer_ = summer;
    return rule;
}

int64_t TimeZoneRule::YearlyTime::inYear(int64_t year) const {
    int64_t date = calendar::daysFromCivil(year, 1, 1);
    if (kind == DayKind::WeekdayOfMonth) {
        date = calendar::daysFromCivil(year, month, 1);
        // The calendar's weekdays begin with Monday, those of the rule with Sunday.
        const int weekday = (calendar::weekdayFromDays(date) + 1) % 7;
        int dayOfMonth = (day - weekday + 7) % 7 + 7 * (week - 1);
        if (dayOfMonth >= calendar::daysInMonth(year, month)) dayOfMonth -= 7;
        date += dayOfMonth;
    } else if (kind == DayKind::Julian) {
        const bool afterLeapDay = day >= 60 && calendar::isLeapYear(year);
        date += day - 1 + (afterLeapDay ? 1 : 0);
    } else {
        date += day;
    }
    return date * calendar::kSecondsPerDay + seconds;
}

std::vector<TimeZoneRule::Change> TimeZoneRule::changesOf(int64_t first, int64_t last) const {
    std::vector<Change> changes;
    if (!summer_) return changes;
    for (int64_t year = first; year <= last; ++year) {
        changes.push_back({summer_->start.inYear(year) - standardOffset_, summer_->offset});
        changes.push_back({summer_->end.inYear(year) - summer_->offset, standardOffset_});
    }
    // If an end and a start are at one instant, the start applies: such a zone has summer time all year long.
    std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
        if (a.at != b.at) return a.at < b.at;
        return a.offset == standardOffset_ && b.offset != standardOffset_;
    });
    return changes;
}

}  // namespace pelorus
