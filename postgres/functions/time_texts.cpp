#include "postgres/functions/time_texts.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "common/time/calendar.h"
#include "postgres/sql_error.h"
#include "runtime/value/print.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

[[noreturn]] void refuseText(std::string_view text, Oid type) {
    throw SqlError(sql_state::kInvalidDatetime,
                   fmt::format("invalid input syntax for type {}: \"{}\"", formatType(type, -1), text));
}
[[noreturn]] void refuseField(std::string_view text) {
    throw SqlError(sql_state::kDatetimeOverflow, fmt::format("date/time field value out of range: \"{}\"", text));
}

std::string lowered(std::string_view text) {
    std::string word(text);
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word;
}

// A cursor over a string in lower case.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(lowered(text)) {}

    void skipBlanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }
    bool isAtEnd() const { return at_ >= text_.size(); }
    char current() const { return isAtEnd() ? '\0' : text_[at_]; }
    bool take(char c) {
        if (current() != c) return false;
        ++at_;
        return true;
    }
    bool isDigit() const { return std::isdigit(static_cast<unsigned char>(current())) != 0; }
    // Reads a whole number, and how many digits it has; nothing when none is here.
    std::optional<int64_t> number(int* digits = nullptr) {
        if (!isDigit()) return {};
        int64_t x = 0;
        int count = 0;
        for (; isDigit(); ++at_, ++count)
            if (count < 18) x = x * 10 + (text_[at_] - '0');
        if (digits != nullptr) *digits = count;
        return x;
    }
    // Reads the digits behind a point as nanoseconds.
    int64_t fraction() {
        int64_t nanos = 0, unit = 100'000'000;
        for (; isDigit(); ++at_, unit /= 10) nanos += (text_[at_] - '0') * unit;
        return nanos;
    }
    std::string word() {
        const size_t begin = at_;
        while (std::isalpha(static_cast<unsigned char>(current())) != 0) ++at_;
        return text_.substr(begin, at_ - begin);
    }
    size_t at() const { return at_; }
    void moveTo(size_t at) { at_ = at; }

private:
    std::string text_;
    size_t at_ = 0;
};

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};

int monthByName(std::string_view word) {
    for (size_t i = 0; i < kMonths.size(); ++i)
        if (word.size() >= 3 && word.starts_with(kMonths[i])) return static_cast<int>(i) + 1;
    return 0;
}

int64_t today() {
    return std::chrono::duration_cast<std::chrono::hours>(std::chrono::system_clock::now().time_since_epoch()).count() /
           24;
}

// Reads a date in one of its forms; false when none is here.
bool readDate(Reader& reader, std::string_view whole, int64_t& days) {
    reader.skipBlanks();
    const size_t begin = reader.at();
    if (const std::string word = reader.word(); !word.empty()) {
        if (word == "today" || word == "now") return days = today(), true;
        if (word == "tomorrow") return days = today() + 1, true;
        if (word == "yesterday") return days = today() - 1, true;
        if (word == "epoch") return days = 0, true;
        const int month = monthByName(word);
        if (month == 0) return reader.moveTo(begin), false;
        reader.skipBlanks();
        const auto day = reader.number();
        reader.take(',');
        reader.skipBlanks();
        const auto year = reader.number();
        if (!day || !year) return reader.moveTo(begin), false;
        if (!calendar::isDate(*year, month, static_cast<int32_t>(*day))) refuseField(whole);
        return days = calendar::daysFromCivil(*year, month, static_cast<int32_t>(*day)), true;
    }
    int digits = 0;
    const auto first = reader.number(&digits);
    if (!first) return false;
    int64_t year = 0, month = 0, day = 0;
    const char separator = reader.current();
    if (separator == '-' || separator == '/' || separator == '.') {
        reader.take(separator);
        const std::string name = reader.word();
        const auto second = name.empty() ? reader.number() : std::optional<int64_t>(monthByName(name));
        if (!second || *second == 0) return reader.moveTo(begin), false;
        if (!reader.take(separator)) return reader.moveTo(begin), false;
        const auto third = reader.number();
        if (!third) return reader.moveTo(begin), false;
        if (digits >= 3) {
            year = *first, month = *second, day = *third;
        } else if (!name.empty()) {
            day = *first, month = *second, year = *third;
        } else {
            month = *first, day = *second, year = *third;
        }
    } else if (digits == 8) {
        year = *first / 10'000, month = *first / 100 % 100, day = *first % 100;
    } else {
        return reader.moveTo(begin), false;
    }
    if (month < 1 || month > 12 || day > 31 || year > 9'999 ||
        !calendar::isDate(year, static_cast<int32_t>(month), static_cast<int32_t>(day)))
        refuseField(whole);
    days = calendar::daysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
    return true;
}

// Reads hh:mm[:ss[.f]] [am|pm]; false when none is here.
bool readTime(Reader& reader, std::string_view whole, int64_t& nanos) {
    reader.skipBlanks();
    const size_t begin = reader.at();
    auto hours = reader.number();
    if (!hours || !reader.take(':')) return reader.moveTo(begin), false;
    const auto minutes = reader.number();
    if (!minutes) return reader.moveTo(begin), false;
    int64_t seconds = 0, fraction = 0;
    if (reader.take(':')) {
        const auto read = reader.number();
        if (!read) return reader.moveTo(begin), false;
        seconds = *read;
        if (reader.take('.')) fraction = reader.fraction();
    }
    const size_t behind = reader.at();
    reader.skipBlanks();
    const std::string half = reader.word();
    if (half == "am" || half == "pm") {
        if (*hours < 1 || *hours > 12) refuseField(whole);
        hours = *hours % 12 + (half == "pm" ? 12 : 0);
    } else {
        reader.moveTo(behind);
    }
    if (*hours > 24 || *minutes > 59 || seconds > 60 || (*hours == 24 && (*minutes > 0 || seconds > 0)))
        refuseField(whole);
    nanos = (*hours * 3600 + *minutes * 60 + seconds) * calendar::kNanosPerSecond + fraction;
    return true;
}

// Reads Z, utc or ±hh[:mm]; returns how many seconds the zone is ahead of UTC.
std::optional<int64_t> readZone(Reader& reader) {
    reader.skipBlanks();
    const size_t begin = reader.at();
    if (const std::string word = reader.word(); !word.empty()) {
        if (word == "z" || word == "utc" || word == "gmt" || word == "zulu") return 0;
        reader.moveTo(begin);
        return {};
    }
    const bool isBehind = reader.current() == '-';
    if (!reader.take('-') && !reader.take('+')) return {};
    int digits = 0;
    auto hours = reader.number(&digits);
    if (!hours) return reader.moveTo(begin), std::nullopt;
    int64_t minutes = 0;
    if (digits > 2) {
        minutes = *hours % 100;
        hours = *hours / 100;
    } else if (reader.take(':')) {
        minutes = reader.number().value_or(0);
    }
    const int64_t seconds = *hours * 3600 + minutes * 60;
    return isBehind ? -seconds : seconds;
}

void refuseEndless(std::string_view text) {
    const std::string word = lowered(text);
    if (word.find("infinity") != std::string::npos)
        throw SqlError(sql_state::kDatetimeOverflow, "infinity is no time here");
}

struct Unit {
    std::string_view name;
    int64_t months;
    int64_t days;
    int64_t micros;
};
constexpr Unit kUnits[] = {
    {"microsecond", 0, 0, 1},
    {"us", 0, 0, 1},
    {"millisecond", 0, 0, 1'000},
    {"ms", 0, 0, 1'000},
    {"second", 0, 0, kMicrosPerSecond},
    {"sec", 0, 0, kMicrosPerSecond},
    {"s", 0, 0, kMicrosPerSecond},
    {"minute", 0, 0, 60 * kMicrosPerSecond},
    {"min", 0, 0, 60 * kMicrosPerSecond},
    {"m", 0, 0, 60 * kMicrosPerSecond},
    {"hour", 0, 0, 3'600 * kMicrosPerSecond},
    {"hr", 0, 0, 3'600 * kMicrosPerSecond},
    {"h", 0, 0, 3'600 * kMicrosPerSecond},
    {"day", 0, 1, 0},
    {"d", 0, 1, 0},
    {"week", 0, 7, 0},
    {"w", 0, 7, 0},
    {"month", 1, 0, 0},
    {"mon", 1, 0, 0},
    {"year", 12, 0, 0},
    {"yr", 12, 0, 0},
    {"y", 12, 0, 0},
    {"decade", 120, 0, 0},
    {"century", 1'200, 0, 0},
    {"centurie", 1'200, 0, 0},
    {"millennium", 12'000, 0, 0},
};

const Unit* unitByName(std::string_view name) {
    for (const Unit& unit : kUnits)
        if (unit.name == name) return &unit;
    if (name.size() > 1 && name.ends_with('s')) return unitByName(name.substr(0, name.size() - 1));
    return nullptr;
}

// Adds so many units; what is left of a month goes on to days of thirty, of a day to microseconds, as PostgreSQL does.
void addUnits(Interval& interval, double amount, const Unit& unit) {
    if (unit.months != 0) {
        const double months = amount * static_cast<double>(unit.months);
        if (std::abs(months) > INT32_MAX) throw SqlError(sql_state::kDatetimeOverflow, "interval out of range");
        interval.months += static_cast<int32_t>(months);
        amount = (months - std::trunc(months)) * 30;
    } else if (unit.days != 0) {
        amount *= static_cast<double>(unit.days);
    } else {
        interval.micros += std::llround(amount * static_cast<double>(unit.micros));
        return;
    }
    if (std::abs(amount) > INT32_MAX) throw SqlError(sql_state::kDatetimeOverflow, "interval out of range");
    // Rounded first: a third of a month is ten days and no microsecond less.
    amount = std::nearbyint(amount * static_cast<double>(kMicrosPerDay)) / static_cast<double>(kMicrosPerDay);
    interval.days += static_cast<int32_t>(amount);
    interval.micros += std::llround((amount - std::trunc(amount)) * static_cast<double>(kMicrosPerDay));
}

bool readIsoInterval(Reader& reader, Interval& interval) {
    bool isTime = false;
    while (!reader.isAtEnd()) {
        if (reader.take('t')) {
            isTime = true;
            continue;
        }
        const bool isNegative = reader.take('-');
        const auto whole = reader.number();
        if (!whole) return false;
        double amount = static_cast<double>(*whole);
        if (reader.take('.')) amount += static_cast<double>(reader.fraction()) / 1e9;
        if (isNegative) amount = -amount;
        const char c = reader.current();
        reader.take(c);
        const std::string_view name = c == 'y'   ? "year"
                                      : c == 'm' ? (isTime ? "minute" : "month")
                                      : c == 'w' ? "week"
                                      : c == 'd' ? "day"
                                      : c == 'h' ? "hour"
                                      : c == 's' ? "second"
                                                 : "";
        const Unit* unit = unitByName(name);
        if (unit == nullptr) return false;
        addUnits(interval, amount, *unit);
    }
    return true;
}

std::string clockText(int64_t nanos) {
    std::string text = fmt::format("{:02}:{:02}:{:02}", nanos / 3'600 / calendar::kNanosPerSecond,
                                   nanos / 60 / calendar::kNanosPerSecond % 60, nanos / calendar::kNanosPerSecond % 60);
    if (int64_t rest = nanos % calendar::kNanosPerSecond; rest != 0) {
        std::string digits = fmt::format("{:09}", rest);
        digits.resize(digits.find_last_not_of('0') + 1);
        text += "." + digits;
    }
    return text;
}

std::string dayText(int64_t days) {
    const calendar::CivilDate date = calendar::civilFromDays(days);
    return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

}  // namespace

Value parseDateText(std::string_view text) {
    refuseEndless(text);
    Reader reader(text);
    int64_t days = 0, nanos = 0;
    if (!readDate(reader, text, days)) refuseText(text, oid::kDate);
    // A time of day behind the date is read and dropped.
    if (!reader.take('t')) reader.skipBlanks();
    readTime(reader, text, nanos);
    readZone(reader);
    reader.skipBlanks();
    if (!reader.isAtEnd()) refuseText(text, oid::kDate);
    return Value::scalar(Type::Date, days);
}

Value parseTimeText(std::string_view text) {
    Reader reader(text);
    int64_t nanos = 0;
    if (!readTime(reader, text, nanos)) refuseText(text, oid::kTime);
    readZone(reader);
    reader.skipBlanks();
    if (!reader.isAtEnd()) refuseText(text, oid::kTime);
    return Value::scalar(Type::NanoTime, nanos);
}

Value parseTimestampText(std::string_view text, bool hasZone) {
    refuseEndless(text);
    const Oid type = hasZone ? oid::kTimestamptz : oid::kTimestamp;
    Reader reader(text);
    int64_t days = 0, nanos = 0;
    if (lowered(text) == "now")
        return Value::scalar(Type::NanoTimestamp, std::chrono::duration_cast<std::chrono::nanoseconds>(
                                                      std::chrono::system_clock::now().time_since_epoch())
                                                      .count());
    if (!readDate(reader, text, days)) refuseText(text, type);
    if (!reader.take('t')) reader.skipBlanks();
    readTime(reader, text, nanos);
    const auto zone = readZone(reader);
    reader.skipBlanks();
    if (!reader.isAtEnd()) refuseText(text, type);
    // NANOTIMESTAMP reaches from 1677 to 2262.
    if (days < -106'751 || days > 106'750)
        throw SqlError(sql_state::kDatetimeOverflow, fmt::format("timestamp out of range: \"{}\"", text));
    nanos += days * calendar::kNanosPerDay;
    if (hasZone && zone) nanos -= *zone * calendar::kNanosPerSecond;
    return Value::scalar(Type::NanoTimestamp, nanos);
}

Interval parseIntervalText(std::string_view text) {
    Interval interval;
    Reader reader(text);
    reader.skipBlanks();
    reader.take('@');
    if (reader.take('p')) {
        if (!readIsoInterval(reader, interval)) refuseText(text, oid::kInterval);
        return interval;
    }
    bool isAny = false;
    for (reader.skipBlanks(); !reader.isAtEnd(); reader.skipBlanks()) {
        if (const size_t begin = reader.at(); reader.word() == "ago") {
            interval = {-interval.months, -interval.days, -interval.micros};
            continue;
        } else {
            reader.moveTo(begin);
        }
        const bool isNegative = reader.current() == '-';
        if (isNegative || reader.current() == '+') reader.take(reader.current());
        int64_t nanos = 0;
        const size_t begin = reader.at();
        if (readTime(reader, text, nanos)) {
            interval.micros += (isNegative ? -nanos : nanos) / 1'000;
            isAny = true;
            continue;
        }
        reader.moveTo(begin);
        const auto whole = reader.number();
        if (!whole) refuseText(text, oid::kInterval);
        double amount = static_cast<double>(*whole);
        if (reader.take('.')) amount += static_cast<double>(reader.fraction()) / 1e9;
        if (reader.take('-')) {  // years and months: 1-2
            const auto months = reader.number();
            if (!months || *months > 11) refuseText(text, oid::kInterval);
            const auto total = static_cast<int32_t>(std::min<int64_t>(*whole, 100'000'000) * 12 + *months);
            interval.months += isNegative ? -total : total;
            isAny = true;
            continue;
        }
        if (isNegative) amount = -amount;
        reader.skipBlanks();
        const std::string name = reader.word();
        const Unit* unit = unitByName(name.empty() ? "second" : name);
        if (unit == nullptr) refuseText(text, oid::kInterval);
        addUnits(interval, amount, *unit);
        isAny = true;
    }
    if (!isAny) refuseText(text, oid::kInterval);
    return interval;
}

std::string dateText(const Value& instant) {
    return dayText(temporalAs(instant, Type::Date));
}

std::string timeText(const Value& timeOfDay) {
    return clockText(temporalAs(timeOfDay, Type::NanoTime));
}

std::string timestampText(const Value& instant, bool hasZone) {
    // Not by nanoseconds: DATETIME and TIMESTAMP reach farther.
    const int64_t perDay = calendar::unitsPerDay(instant.type());
    if (perDay == 0) return dateText(instant) + " 00:00:00" + (hasZone ? "+00" : "");
    const int64_t days = calendar::floorDivide(instant.integer(), perDay);
    const int64_t rest = calendar::floorModulo(instant.integer(), perDay);
    return dayText(days) + " " + clockText(rest * (calendar::kNanosPerDay / perDay)) + (hasZone ? "+00" : "");
}

std::string intervalText(const Interval& interval) {
    std::string text;
    const auto add = [&text](int64_t amount, std::string_view unit) {
        if (amount == 0) return;
        if (!text.empty()) text += ' ';
        text += fmt::format("{} {}{}", amount, unit, amount == 1 ? "" : "s");
    };
    add(interval.months / 12, "year");
    add(interval.months % 12, "mon");
    add(interval.days, "day");
    if (interval.micros != 0 || text.empty()) {
        if (!text.empty()) text += ' ';
        if (interval.micros < 0)
            text += '-';
        else if (text.find('-') != std::string::npos)
            text += '+';
        text += clockText(std::abs(interval.micros) * 1'000);
    }
    return text;
}

std::string plainText(const Value& value) {
    return toString(value);
}

int64_t addInterval(int64_t nanos, const Interval& interval, int sign) {
    int64_t days = calendar::floorDivide(nanos, calendar::kNanosPerDay);
    const int64_t rest = calendar::floorModulo(nanos, calendar::kNanosPerDay);
    if (interval.months != 0) days = calendar::addMonths(days, static_cast<int64_t>(sign) * interval.months);
    const __int128 total = (__int128{days} + static_cast<__int128>(sign) * interval.days) * calendar::kNanosPerDay +
                           rest + static_cast<__int128>(sign) * interval.micros * 1'000;
    if (total > INT64_MAX || total <= INT64_MIN) throw SqlError(sql_state::kDatetimeOverflow, "timestamp out of range");
    return static_cast<int64_t>(total);
}

}  // namespace pelorus::postgres
