#include "server/postgres/wire/wire_times.h"

#include <cstdlib>
#include <optional>

#include "common/error.h"
#include "common/time/calendar.h"
#include "common/time/time_zone.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
constexpr int64_t kNanosPerMicro = 1000;
constexpr int kFractionDigits = 6;

void appendPadded(std::string& out, int64_t x, int digits) {
    const size_t begin = out.size();
    out.append(static_cast<size_t>(digits), '0');
    for (int i = digits; i > 0 && x > 0; --i, x /= 10)
        out[begin + static_cast<size_t>(i) - 1] = static_cast<char>('0' + x % 10);
}

void appendClock(std::string& out, int64_t micros) {
    const auto seconds = static_cast<int>(micros / kMicrosPerSecond);
    const auto digit = [](int x) { return static_cast<char>('0' + x); };
    const int hour = seconds / 3600, minute = seconds / 60 % 60, second = seconds % 60;
    const char clock[] = {digit(hour / 10),   digit(hour % 10),  ':', digit(minute / 10), digit(minute % 10), ':',
                          digit(second / 10), digit(second % 10)};
    out.append(clock, sizeof clock);
    const int64_t fraction = micros % kMicrosPerSecond;
    if (fraction == 0) return;
    out += '.';
    appendPadded(out, fraction, kFractionDigits);
    while (out.back() == '0') out.pop_back();
}

// Appends the date and returns whether it is before the year 1, which is marked behind the time.
bool appendCivil(std::string& out, int64_t days) {
    const calendar::CivilDate date = calendar::civilFromDays(days);
    const bool isBefore = date.year <= 0;
    const int64_t year = isBefore ? 1 - static_cast<int64_t>(date.year) : date.year;
    appendPadded(out, year, year > 9999 ? 5 : 4);
    out += '-';
    appendPadded(out, date.month, 2);
    out += '-';
    appendPadded(out, date.day, 2);
    return isBefore;
}

// A reader of one date or time, piece by piece.
class TimeReader {
public:
    TimeReader(std::string_view text, std::string_view kind) : whole_(text), kind_(kind), rest_(text) {
        skipBlanks();
        while (rest_.ends_with(' ')) rest_.remove_suffix(1);
    }

    bool isAtEnd() const { return rest_.empty(); }
    void skipBlanks() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool isDigit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
    int64_t number(int least, int most) {
        const size_t before = rest_.size();
        int64_t x = 0;
        while (isDigit() && before - rest_.size() < static_cast<size_t>(most)) {
            x = x * 10 + (rest_[0] - '0');
            rest_.remove_prefix(1);
        }
        if (before - rest_.size() < static_cast<size_t>(least) || isDigit()) refuse();
        return x;
    }
    std::string_view rest() const { return rest_; }
    void requireEnd() const {
        if (!rest_.empty()) refuse();
    }
    [[noreturn]] void refuse() const {
        throw SqlError(sql_state::kInvalidDatetime,
                       "invalid input syntax for type " + std::string(kind_) + ": \"" + std::string(whole_) + "\"");
    }
    [[noreturn]] void refuseRange() const {
        throw SqlError(sql_state::kDatetimeOverflow,
                       "date/time field value out of range: \"" + std::string(whole_) + "\"");
    }

    // Reads 2026-01-02, 2026/01/02 or 20260102.
    int64_t date() {
        const size_t before = rest_.size();
        size_t digits = 0;
        while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') ++digits;
        int64_t year = 0, month = 0, day = 0;
        if (digits == 8) {
            const int64_t all = number(8, 8);
            year = all / 10'000;
            month = all / 100 % 100;
            day = all % 100;
        } else {
            year = number(4, 6);
            const char separator = take('-') ? '-' : take('/') ? '/' : '\0';
            if (separator == '\0') refuse();
            month = number(1, 2);
            if (!take(separator)) refuse();
            day = number(1, 2);
        }
        if (before == rest_.size()) refuse();
        if (!calendar::isDate(year, static_cast<int32_t>(month), static_cast<int32_t>(day))) refuseRange();
        return calendar::daysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
    }

    // Reads 03:04, 03:04:05 or 03:04:05.678901234, as nanoseconds.
    int64_t clock() {
        const int64_t hour = number(1, 2);
        if (!take(':')) refuse();
        const int64_t minute = number(2, 2);
        int64_t second = 0, nanos = 0;
        if (take(':')) {
            second = number(1, 2);
            if (take('.')) nanos = fraction();
        }
        if (hour > 24 || minute > 59 || second > 60 || (hour == 24 && (minute > 0 || second > 0 || nanos > 0)))
            refuseRange();
        return (hour * 3600 + minute * 60 + second) * calendar::kNanosPerSecond + nanos;
    }

    // Reads a zone as seconds ahead of UTC: Z, UTC, +02, +0530 or -08:00; nothing when there is none.
    std::optional<int64_t> offset() {
        skipBlanks();
        if (rest_ == "Z" || rest_ == "z" || rest_ == "UTC" || rest_ == "utc" || rest_ == "GMT") {
            rest_ = {};
            return 0;
        }
        if (!rest_.starts_with('+') && !rest_.starts_with('-')) return std::nullopt;
        const int64_t sign = take('-') ? -1 : 1;
        if (sign > 0) take('+');
        size_t digits = 0;
        while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') ++digits;
        int64_t hours = number(1, 4), minutes = 0, seconds = 0;
        if (digits > 2) {
            minutes = hours % 100;
            hours /= 100;
        }
        if (take(':')) minutes = number(2, 2);
        if (take(':')) seconds = number(2, 2);
        if (hours > 15 || minutes > 59 || seconds > 59) refuseRange();
        return sign * (hours * 3600 + minutes * 60 + seconds);
    }

private:
    int64_t fraction() {
        int64_t nanos = 0, unit = calendar::kNanosPerSecond;
        if (!isDigit()) return 0;
        while (isDigit()) {
            unit /= 10;
            nanos += (rest_[0] - '0') * unit;
            rest_.remove_prefix(1);
        }
        return nanos;
    }

    const std::string_view whole_, kind_;
    std::string_view rest_;
};

int64_t nanosOf(const TimeReader& reader, int64_t days, int64_t nanosOfDay) {
    int64_t nanos = 0;
    if (__builtin_mul_overflow(days, calendar::kNanosPerDay, &nanos) ||
        __builtin_add_overflow(nanos, nanosOfDay, &nanos) || nanos == INT64_MIN)
        reader.refuseRange();
    return nanos;
}

}  // namespace

void appendDate(std::string& out, int64_t days) {
    if (appendCivil(out, days)) out += " BC";
}

void appendTimeOfDay(std::string& out, int64_t micros) {
    appendClock(out, micros);
}

void appendTimestamp(std::string& out, int64_t micros) {
    const int64_t days = calendar::floorDivide(micros, kMicrosPerDay);
    const bool isBefore = appendCivil(out, days);
    out += ' ';
    appendClock(out, micros - days * kMicrosPerDay);
    if (isBefore) out += " BC";
}

void appendZonedTimestamp(std::string& out, int64_t micros, const TimeZone* zone) {
    const int64_t offset = zone ? zone->offsetAt(calendar::floorDivide(micros, kMicrosPerSecond)) : 0;
    const int64_t shown = micros + offset * kMicrosPerSecond;
    const int64_t days = calendar::floorDivide(shown, kMicrosPerDay);
    const bool isBefore = appendCivil(out, days);
    out += ' ';
    appendClock(out, shown - days * kMicrosPerDay);
    const int64_t distance = std::abs(offset);
    out += offset < 0 ? '-' : '+';
    appendPadded(out, distance / 3600, 2);
    if (distance % 3600 != 0) {
        out += ':';
        appendPadded(out, distance / 60 % 60, 2);
    }
    if (distance % 60 != 0) {
        out += ':';
        appendPadded(out, distance % 60, 2);
    }
    if (isBefore) out += " BC";
}

int64_t parseDate(std::string_view text) {
    TimeReader reader(text, "date");
    const int64_t days = reader.date();
    // A timestamp is a date, too: its time is cut.
    reader.skipBlanks();
    if (reader.take('T') || reader.isDigit()) {
        reader.clock();
        reader.offset();
    }
    reader.requireEnd();
    return days;
}

int64_t parseTimeOfDay(std::string_view text) {
    TimeReader reader(text, "time");
    const int64_t nanos = reader.clock();
    reader.offset();
    reader.requireEnd();
    if (nanos >= calendar::kNanosPerDay) reader.refuseRange();
    return nanos;
}

int64_t parseTimestamp(std::string_view text, bool isZoned, const TimeZone* zone) {
    TimeReader reader(text, isZoned ? "timestamp with time zone" : "timestamp");
    const int64_t days = reader.date();
    int64_t ofDay = 0;
    reader.take('T');
    reader.skipBlanks();
    if (reader.isDigit()) ofDay = reader.clock();
    std::optional<int64_t> offset = reader.offset();
    std::shared_ptr<const TimeZone> named;
    if (!offset && !reader.isAtEnd() && !reader.isDigit()) {
        try {
            named = TimeZone::find(std::string(reader.rest()));
        } catch (const Error&) {
            reader.refuse();
        }
    } else {
        reader.requireEnd();
    }
    const int64_t nanos = nanosOf(reader, days, ofDay);
    if (!isZoned) return nanos;
    if (!offset && named) zone = named.get();
    if (!offset) offset = zone ? zone->offsetAtLocal(calendar::floorDivide(nanos, calendar::kNanosPerSecond)) : 0;
    return nanosOf(reader, 0, nanos - *offset * calendar::kNanosPerSecond);
}

}  // namespace pelorus::postgres
