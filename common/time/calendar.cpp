#include "common/time/calendar.h"

#include <algorithm>
#include <array>

namespace pelorus::calendar {

int32_t daysInMonth(int64_t year, int32_t month) {
    constexpr std::array<int32_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && isLeapYear(year) ? 29 : kDays[static_cast<size_t>(month - 1)];
}

bool isDate(int64_t year, int32_t month, int32_t day) {
    return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

int64_t addMonths(int64_t days, int64_t months) {
    CivilDate date = civilFromDays(days);
    int64_t total = int64_t{date.year} * 12 + date.month - 1 + months;
    int64_t year = floorDivide(total, 12);
    auto month = static_cast<int32_t>(floorModulo(total, 12)) + 1;
    return daysFromCivil(year, month, std::min(date.day, daysInMonth(year, month)));
}

TemporalKind temporalKind(Type type) {
    switch (type) {
        case Type::Minute:
        case Type::Second:
        case Type::Time:
        case Type::NanoTime:
            return TemporalKind::TimeOfDay;
        case Type::Date:
        case Type::DateHour:
        case Type::DateMinute:
        case Type::DateTime:
        case Type::Timestamp:
        case Type::NanoTimestamp:
            return TemporalKind::Instant;
        case Type::Month:
            return TemporalKind::Month;
        default:
            return TemporalKind::None;
    }
}

int64_t unitsPerDay(Type type) {
    switch (type) {
        case Type::Date:
            return 1;
        case Type::DateHour:
            return 24;
        case Type::Minute:
        case Type::DateMinute:
            return 1440;
        case Type::Second:
        case Type::DateTime:
            return kSecondsPerDay;
        case Type::Time:
        case Type::Timestamp:
            return kMillisPerDay;
        case Type::NanoTime:
        case Type::NanoTimestamp:
            return kNanosPerDay;
        default:
            return 0;
    }
}

namespace {

struct UnitFacts {
    DurationUnit unit;
    std::string_view name;
    int64_t nanos;
};
constexpr std::array<UnitFacts, 11> kUnits = {{
    {DurationUnit::Nanosecond, "ns", 1},
    {DurationUnit::Microsecond, "us", 1000},
    {DurationUnit::Millisecond, "ms", 1000000},
    {DurationUnit::Second, "s", kNanosPerSecond},
    {DurationUnit::Minute, "m", 60 * kNanosPerSecond},
    {DurationUnit::Hour, "H", 3600 * kNanosPerSecond},
    {DurationUnit::Day, "d", kNanosPerDay},
    {DurationUnit::Week, "w", 7 * kNanosPerDay},
    {DurationUnit::Month, "M", 0},
    {DurationUnit::Year, "y", 0},
    {DurationUnit::BusinessDay, "B", 0},
}};

}  // namespace

int64_t nanosPerUnit(DurationUnit unit) {
    auto i = static_cast<size_t>(unit);
    return i < kUnits.size() ? kUnits[i].nanos : 0;
}

std::string_view unitName(DurationUnit unit) {
    auto i = static_cast<size_t>(unit);
    return i < kUnits.size() ? kUnits[i].name : std::string_view{};
}

bool unitByName(std::string_view name, DurationUnit& unit) {
    for (const UnitFacts& row : kUnits) {
        if (row.name == name) {
            unit = row.unit;
            return true;
        }
    }
    return false;
}

bool canConvert(Type from, Type to) {
    if (from == to) return temporalKind(from) != TemporalKind::None;
    TemporalKind a = temporalKind(from), b = temporalKind(to);
    if (a == TemporalKind::None || b == TemporalKind::None) return false;
    if (a == b) return true;
    if (a == TemporalKind::Instant) return b == TemporalKind::Month || from != Type::Date;
    return a == TemporalKind::Month && b == TemporalKind::Instant;
}

static int64_t nullOf(Type type) {
    return widthOf(type) == 8 ? null<int64_t> : null<int32_t>;
}

static int64_t fitted(__int128 value, Type type) {
    if (widthOf(type) == 8) {
        if (value <= INT64_MIN || value > INT64_MAX) return null<int64_t>;
        return static_cast<int64_t>(value);
    }
    if (value <= INT32_MIN || value > INT32_MAX) return null<int32_t>;
    return static_cast<int64_t>(value);
}

// Converts between two counts of a day's parts, rounding towards minus infinity.
static int64_t rescale(int64_t stored, int64_t fromPerDay, int64_t toPerDay, Type to) {
    if (toPerDay >= fromPerDay) return fitted(static_cast<__int128>(stored) * (toPerDay / fromPerDay), to);
    return fitted(floorDivide(stored, fromPerDay / toPerDay), to);
}

int64_t convert(int64_t stored, Type from, Type to) {
    if (stored == nullOf(from)) return nullOf(to);
    if (from == to) return stored;
    TemporalKind a = temporalKind(from), b = temporalKind(to);
    if (a == TemporalKind::Month) {
        int64_t days = daysFromCivil(floorDivide(stored, 12), static_cast<int32_t>(floorModulo(stored, 12)) + 1, 1);
        return rescale(days, 1, unitsPerDay(to), to);
    }
    if (b == TemporalKind::Month) {
        CivilDate date = civilFromDays(floorDivide(stored, unitsPerDay(from)));
        return fitted(int64_t{date.year} * 12 + date.month - 1, to);
    }
    if (a == TemporalKind::Instant && b == TemporalKind::TimeOfDay) stored = floorModulo(stored, unitsPerDay(from));
    return rescale(stored, unitsPerDay(from), unitsPerDay(to), to);
}

namespace {

// A scanner of a literal, from left to right.
class Scanner {
public:
    explicit Scanner(std::string_view string) : string_(string) {}

    bool digits(size_t least, size_t most, int64_t& value) {
        size_t count = 0;
        value = 0;
        while (at_ < string_.size() && string_[at_] >= '0' && string_[at_] <= '9' && count < most) {
            value = value * 10 + (string_[at_++] - '0');
            ++count;
        }
        lastCount_ = count;
        return count >= least;
    }
    bool skip(char c) {
        if (at_ >= string_.size() || string_[at_] != c) return false;
        ++at_;
        return true;
    }
    char peek() const { return at_ < string_.size() ? string_[at_] : '\0'; }
    bool done() const { return at_ == string_.size(); }
    size_t lastCount() const { return lastCount_; }

    // Reads yyyy?mm; `separator` receives the separator.
    bool yearAndMonth(int64_t& year, int64_t& month, char& separator) {
        if (!digits(4, 4, year)) return false;
        separator = peek();
        if (separator != '.' && separator != '-' && separator != '/') return false;
        ++at_;
        return digits(1, 2, month);
    }
    bool date(int64_t& days) {
        int64_t year, month, day;
        char separator;
        if (!yearAndMonth(year, month, separator) || !skip(separator) || !digits(1, 2, day)) return false;
        if (!isDate(year, static_cast<int32_t>(month), static_cast<int32_t>(day))) return false;
        days = daysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
        return true;
    }
    bool clock(bool withSeconds, int64_t& seconds) {
        int64_t hour, minute, second = 0;
        if (!digits(1, 2, hour) || !skip(':') || !digits(2, 2, minute)) return false;
        if (withSeconds && (!skip(':') || !digits(2, 2, second))) return false;
        if (hour > 23 || minute > 59 || second > 59) return false;
        seconds = (hour * 60 + minute) * 60 + second;
        return true;
    }
    // Reads the fraction of a second, in nanoseconds; 0 when there is none.
    bool fraction(int64_t& nanos) {
        nanos = 0;
        if (!skip('.')) return true;
        if (!digits(1, 9, nanos)) return false;
        for (size_t i = lastCount_; i < 9; ++i) nanos *= 10;
        return true;
    }

private:
    std::string_view string_;
    size_t at_ = 0;
    size_t lastCount_ = 0;
};

bool parseInstant(Scanner& scan, Type type, int64_t& stored) {
    int64_t days, seconds = 0, nanos = 0;
    if (!scan.date(days)) return false;
    if (type == Type::Date) {
        stored = days;
        return scan.done();
    }
    if (!scan.done()) {
        if (!scan.skip('T') && !scan.skip(' ')) return false;
        if (type == Type::DateHour) {
            int64_t hour;
            if (!scan.digits(1, 2, hour) || hour > 23) return false;
            seconds = hour * 3600;
            int64_t ignored;
            if (scan.skip(':') && (!scan.digits(2, 2, ignored) || (scan.skip(':') && !scan.digits(2, 2, ignored)))) {
                return false;
            }
        } else if (!scan.clock(true, seconds) || !scan.fraction(nanos)) {
            return false;
        }
    }
    if (!scan.done()) return false;
    int64_t perDay = unitsPerDay(type);
    __int128 whole =
        static_cast<__int128>(days) * kNanosPerDay + static_cast<__int128>(seconds) * kNanosPerSecond + nanos;
    __int128 unit = kNanosPerDay / perDay;
    __int128 quotient = whole / unit;
    if (whole % unit < 0) --quotient;
    stored = fitted(quotient, type);
    return stored != nullOf(type);
}

}  // namespace

bool parse(std::string_view string, Type type, int64_t& stored) {
    Scanner scan(string);
    int64_t seconds, nanos;
    switch (type) {
        case Type::Month: {
            int64_t year, month;
            char separator;
            if (!scan.yearAndMonth(year, month, separator)) return false;
            scan.skip('M');
            stored = year * 12 + month - 1;
            return scan.done() && month >= 1 && month <= 12;
        }
        case Type::Minute:
            if (!scan.clock(false, seconds)) return false;
            scan.skip('m');
            stored = seconds / 60;
            return scan.done();
        case Type::Second:
            stored = 0;
            return scan.clock(true, stored) && scan.done();
        case Type::Time:
        case Type::NanoTime: {
            if (!scan.clock(true, seconds) || !scan.fraction(nanos) || !scan.done()) return false;
            int64_t total = seconds * kNanosPerSecond + nanos;
            stored = type == Type::Time ? total / 1000000 : total;
            return true;
        }
        case Type::Date:
        case Type::DateHour:
        case Type::DateMinute:
        case Type::DateTime:
        case Type::Timestamp:
        case Type::NanoTimestamp:
            return parseInstant(scan, type, stored);
        default:
            return false;
    }
}

namespace {

void appendPadded(std::string& string, int64_t value, int width) {
    char digits[20];
    int count = 0;
    while (value > 0 || count < width) {
        digits[count++] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
    while (count > 0) string += digits[--count];
}

void appendYear(std::string& string, int64_t year) {
    if (year < 0) string += '-';
    appendPadded(string, year < 0 ? -year : year, 4);
}

void appendDate(std::string& string, int64_t days) {
    CivilDate date = civilFromDays(days);
    appendYear(string, date.year);
    string += '.';
    appendPadded(string, date.month, 2);
    string += '.';
    appendPadded(string, date.day, 2);
}

void appendClock(std::string& string, int64_t seconds) {
    appendPadded(string, seconds / 3600, 2);
    string += ':';
    appendPadded(string, seconds / 60 % 60, 2);
    string += ':';
    appendPadded(string, seconds % 60, 2);
}

}  // namespace

void append(std::string& string, Type type, int64_t stored) {
    if (stored == nullOf(type)) return;
    if (type == Type::Month) {
        appendYear(string, floorDivide(stored, 12));
        string += '.';
        appendPadded(string, floorModulo(stored, 12) + 1, 2);
        string += 'M';
        return;
    }
    int64_t perDay = unitsPerDay(type);
    if (perDay == 0) return;
    if (temporalKind(type) == TemporalKind::Instant) {
        appendDate(string, floorDivide(stored, perDay));
        if (type == Type::Date) return;
        string += 'T';
        stored = floorModulo(stored, perDay);
    }
    if (type == Type::DateHour) {
        appendPadded(string, stored, 2);
        return;
    }
    if (perDay == 1440) {
        appendPadded(string, stored / 60, 2);
        string += ':';
        appendPadded(string, stored % 60, 2);
        if (type == Type::Minute) string += 'm';
        return;
    }
    int64_t perSecond = perDay / kSecondsPerDay;
    appendClock(string, stored / perSecond);
    if (perSecond > 1) {
        string += '.';
        appendPadded(string, stored % perSecond, perSecond == 1000 ? 3 : 9);
    }
}

}  // namespace pelorus::calendar
