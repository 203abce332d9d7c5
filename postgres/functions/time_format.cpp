#include "postgres/functions/time_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "common/time/calendar.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kMillion = 1'000'000;

struct FieldName {
    std::string_view written, field;
};
constexpr FieldName kFields[] = {
    {"microseconds", "microseconds"},
    {"us", "microseconds"},
    {"usec", "microseconds"},
    {"microsecond", "microseconds"},
    {"milliseconds", "milliseconds"},
    {"ms", "milliseconds"},
    {"msec", "milliseconds"},
    {"millisecond", "milliseconds"},
    {"second", "second"},
    {"sec", "second"},
    {"s", "second"},
    {"secs", "second"},
    {"seconds", "second"},
    {"minute", "minute"},
    {"min", "minute"},
    {"m", "minute"},
    {"mins", "minute"},
    {"minutes", "minute"},
    {"hour", "hour"},
    {"hr", "hour"},
    {"h", "hour"},
    {"hours", "hour"},
    {"hrs", "hour"},
    {"day", "day"},
    {"d", "day"},
    {"days", "day"},
    {"week", "week"},
    {"w", "week"},
    {"weeks", "week"},
    {"month", "month"},
    {"mon", "month"},
    {"mons", "month"},
    {"months", "month"},
    {"quarter", "quarter"},
    {"qtr", "quarter"},
    {"year", "year"},
    {"y", "year"},
    {"yr", "year"},
    {"years", "year"},
    {"yrs", "year"},
    {"decade", "decade"},
    {"decades", "decade"},
    {"century", "century"},
    {"centuries", "century"},
    {"c", "century"},
    {"millennium", "millennium"},
    {"millennia", "millennium"},
    {"epoch", "epoch"},
    {"dow", "dow"},
    {"isodow", "isodow"},
    {"doy", "doy"},
    {"isoyear", "isoyear"},
    {"julian", "julian"},
    {"timezone", "timezone"},
    {"timezone_hour", "timezone"},
    {"timezone_minute", "timezone"},
};

// Year and week of ISO 8601.
struct IsoWeek {
    int64_t year, week;
};
IsoWeek isoWeekOf(int64_t day) {
    // The week belongs to the year of its Thursday.
    const int64_t thursday = day - calendar::weekdayFromDays(day) + 3;
    const int64_t year = calendar::civilFromDays(thursday).year;
    return {year, (thursday - calendar::daysFromCivil(year, 1, 1)) / 7 + 1};
}

[[noreturn]] void refuseField(std::string_view field, const Value& value) {
    const Oid type = shownType(value.type(), 0).type;
    throw SqlError(sql_state::kFeatureNotSupported,
                   fmt::format("unit \"{}\" not supported for type {}", field,
                               value.type() == Type::Int128 ? "interval" : formatType(type, -1)));
}

// The century, or any other span of years, that a year belongs to.
int64_t spanOf(int64_t year, int64_t length) {
    return year > 0 ? (year - 1) / length + 1 : -((-year) / length + 1);
}

std::optional<int64_t> clockPart(std::string_view field, int64_t nanos) {
    const int64_t micros = nanos / 1'000;
    if (field == "hour") return micros / 3'600 / kMillion * kMillion;
    if (field == "minute") return micros / 60 / kMillion % 60 * kMillion;
    if (field == "second") return micros % (60 * kMillion);
    if (field == "milliseconds") return micros % (60 * kMillion) * 1'000;
    if (field == "microseconds") return micros % (60 * kMillion) * kMillion;
    return {};
}

std::optional<int64_t> datePart(std::string_view field, int64_t day) {
    const calendar::CivilDate date = calendar::civilFromDays(day);
    if (field == "year") return int64_t{date.year};
    if (field == "month") return int64_t{date.month};
    if (field == "day") return int64_t{date.day};
    if (field == "quarter") return (date.month - 1) / 3 + 1;
    if (field == "decade") return calendar::floorDivide(date.year, 10);
    if (field == "century") return spanOf(date.year, 100);
    if (field == "millennium") return spanOf(date.year, 1'000);
    if (field == "dow") return (calendar::weekdayFromDays(day) + 1) % 7;
    if (field == "isodow") return calendar::weekdayFromDays(day) + 1;
    if (field == "doy") return day - calendar::daysFromCivil(date.year, 1, 1) + 1;
    if (field == "week") return isoWeekOf(day).week;
    if (field == "isoyear") return isoWeekOf(day).year;
    if (field == "julian") return day + 2'440'588;
    return {};
}

__int128 intervalPart(std::string_view field, const Value& value) {
    const Interval interval = intervalOf(value);
    const int64_t seconds = interval.micros / kMillion;
    if (field == "epoch") {
        const int64_t days = int64_t{interval.months % 12} * 30 + interval.days;
        return (__int128{interval.months / 12} * 31'557'600 + __int128{days} * 86'400) * kMillion + interval.micros;
    }
    if (field == "hour") return seconds / 3'600 * kMillion;
    if (field == "minute") return seconds / 60 % 60 * kMillion;
    if (field == "second") return interval.micros % (60 * kMillion);
    if (field == "milliseconds") return interval.micros % (60 * kMillion) * 1'000;
    if (field == "microseconds") return interval.micros % (60 * kMillion) * kMillion;
    if (field == "day") return int64_t{interval.days} * kMillion;
    if (field == "month") return int64_t{interval.months % 12} * kMillion;
    if (field == "quarter") return int64_t{interval.months % 12 / 3 + 1} * kMillion;
    if (field == "year") return int64_t{interval.months / 12} * kMillion;
    if (field == "decade") return int64_t{interval.months / 120} * kMillion;
    if (field == "century") return int64_t{interval.months / 1'200} * kMillion;
    if (field == "millennium") return int64_t{interval.months / 12'000} * kMillion;
    refuseField(field, value);
}

constexpr std::array<std::string_view, 12> kMonthNames = {"January",   "February", "March",    "April",
                                                          "May",       "June",     "July",     "August",
                                                          "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kDayNames = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

enum class Letters : uint8_t { Upper, Lower, Capital };

std::string inLetters(std::string_view name, Letters letters) {
    std::string text(name);
    for (size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        text[i] = static_cast<char>(
            letters == Letters::Upper || (letters == Letters::Capital && i == 0) ? std::toupper(c) : std::tolower(c));
    }
    return text;
}

// The patterns, longest first where one begins another.
constexpr std::string_view kPatterns[] = {
    "HH24", "HH12", "SSSSS", "SSSS", "YYYY", "IYYY", "Y,YYY", "MONTH", "Month", "month", "IDDD", "A.M.", "P.M.", "a.m.",
    "p.m.", "YYY",  "IYY",   "DDD",  "DAY",  "Day",  "day",   "MON",   "Mon",   "mon",   "B.C.", "A.D.", "FF1",  "FF2",
    "FF3",  "FF4",  "FF5",   "FF6",  "TZH",  "TZM",  "HH",    "MI",    "SS",    "MS",    "US",   "YY",   "IY",   "MM",
    "DD",   "DY",   "Dy",    "dy",   "ID",   "WW",   "IW",    "CC",    "AM",    "PM",    "am",   "pm",   "BC",   "AD",
    "TZ",   "tz",   "OF",    "RM",   "Q",    "J",    "W",     "D",     "Y",     "I",
};

std::string_view patternAt(std::string_view format) {
    for (const std::string_view pattern : kPatterns)
        if (format.starts_with(pattern)) return pattern;
    // Patterns of digits are taken in small letters, too.
    const std::string upper = inLetters(format.substr(0, 5), Letters::Upper);
    for (const std::string_view pattern : kPatterns)
        if (std::string_view(upper).starts_with(pattern) &&
            pattern.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos)
            return pattern;
    return {};
}

// A time taken apart.
struct Parts {
    int64_t day = 0;
    calendar::CivilDate date{};
    int64_t nanos = 0;  // of the day
    int64_t hours = 0;
};

std::string padded(int64_t x, int width, bool isFilled) {
    return isFilled ? fmt::format("{:0{}}", x, width) : fmt::format("{}", x);
}

std::string nameOf(std::string_view pattern, std::string_view name, size_t length, bool isFilled) {
    const Letters letters = std::islower(static_cast<unsigned char>(pattern[0])) != 0   ? Letters::Lower
                            : std::islower(static_cast<unsigned char>(pattern[1])) != 0 ? Letters::Capital
                                                                                        : Letters::Upper;
    std::string text = inLetters(length == 3 ? name.substr(0, 3) : name, letters);
    if (isFilled && length > text.size()) text.append(length - text.size(), ' ');
    return text;
}

std::string patternText(std::string_view pattern, const Parts& parts, bool isFilled) {
    const int64_t hours = parts.hours, half = hours % 12 == 0 ? 12 : hours % 12;
    const int64_t seconds = parts.nanos / calendar::kNanosPerSecond;
    const int64_t micros = parts.nanos % calendar::kNanosPerSecond / 1'000;
    const auto is = [pattern](std::string_view one, std::string_view other = "", std::string_view third = "") {
        return pattern == one || pattern == other || pattern == third;
    };
    if (is("HH24")) return padded(hours, 2, isFilled);
    if (is("HH12", "HH")) return padded(half, 2, isFilled);
    if (is("MI")) return padded(seconds / 60 % 60, 2, isFilled);
    if (is("SSSS", "SSSSS")) return fmt::format("{}", seconds);
    if (is("SS")) return padded(seconds % 60, 2, isFilled);
    if (is("MS", "FF3")) return padded(micros / 1'000, 3, true);
    if (is("US", "FF6")) return padded(micros, 6, true);
    if (pattern.starts_with("FF")) return padded(micros, 6, true).substr(0, static_cast<size_t>(pattern[2] - '0'));
    if (is("YYYY")) return padded(parts.date.year, 4, isFilled);
    if (is("Y,YYY")) return fmt::format("{},{:03}", parts.date.year / 1'000, parts.date.year % 1'000);
    if (is("YYY")) return padded(parts.date.year % 1'000, 3, isFilled);
    if (is("YY")) return padded(parts.date.year % 100, 2, isFilled);
    if (is("Y")) return padded(parts.date.year % 10, 1, isFilled);
    if (is("IYYY")) return padded(isoWeekOf(parts.day).year, 4, isFilled);
    if (is("IYY")) return padded(isoWeekOf(parts.day).year % 1'000, 3, isFilled);
    if (is("IY")) return padded(isoWeekOf(parts.day).year % 100, 2, isFilled);
    if (is("I")) return padded(isoWeekOf(parts.day).year % 10, 1, isFilled);
    if (is("MM")) return padded(parts.date.month, 2, isFilled);
    if (is("MONTH", "Month", "month"))
        return nameOf(pattern, kMonthNames[static_cast<size_t>(parts.date.month - 1)], 9, isFilled);
    if (is("MON", "Mon", "mon"))
        return nameOf(pattern, kMonthNames[static_cast<size_t>(parts.date.month - 1)], 3, isFilled);
    const auto weekday = static_cast<size_t>((calendar::weekdayFromDays(parts.day) + 1) % 7);
    if (is("DAY", "Day", "day")) return nameOf(pattern, kDayNames[weekday], 9, isFilled);
    if (is("DY", "Dy", "dy")) return nameOf(pattern, kDayNames[weekday], 3, isFilled);
    const int64_t dayOfYear = parts.day - calendar::daysFromCivil(parts.date.year, 1, 1);
    if (is("DDD")) return padded(dayOfYear + 1, 3, isFilled);
    if (is("DD")) return padded(parts.date.day, 2, isFilled);
    if (is("ID")) return fmt::format("{}", weekday == 0 ? 7 : weekday);
    if (is("D")) return fmt::format("{}", weekday + 1);
    if (is("W")) return fmt::format("{}", (parts.date.day - 1) / 7 + 1);
    if (is("WW")) return padded(dayOfYear / 7 + 1, 2, isFilled);
    if (is("IW")) return padded(isoWeekOf(parts.day).week, 2, isFilled);
    if (is("CC")) return padded(spanOf(parts.date.year, 100), 2, isFilled);
    if (is("J")) return fmt::format("{}", parts.day + 2'440'588);
    if (is("Q")) return fmt::format("{}", (parts.date.month - 1) / 3 + 1);
    if (is("AM", "PM")) return hours < 12 ? "AM" : "PM";
    if (is("am", "pm")) return hours < 12 ? "am" : "pm";
    if (is("A.M.", "P.M.")) return hours < 12 ? "A.M." : "P.M.";
    if (is("a.m.", "p.m.")) return hours < 12 ? "a.m." : "p.m.";
    if (is("BC", "AD")) return parts.date.year > 0 ? "AD" : "BC";
    if (is("TZ")) return "UTC";
    if (is("tz")) return "utc";
    if (is("OF", "TZH")) return "+00";
    if (is("TZM")) return "00";
    throw SqlError(sql_state::kFeatureNotSupported,
                   fmt::format("the pattern \"{}\" of to_char is not supported", pattern));
}

Parts partsOf(const Value& value) {
    Parts parts;
    if (value.type() == Type::Int128) {
        const Interval interval = intervalOf(value);
        parts.hours = interval.micros / kMillion / 3'600;
        parts.nanos = std::abs(interval.micros) * 1'000;
        parts.date = {interval.months / 12, interval.months % 12, interval.days};
        return parts;
    }
    if (calendar::temporalKind(value.type()) == calendar::TemporalKind::TimeOfDay) {
        parts.nanos = temporalAs(value, Type::NanoTime);
    } else {
        const int64_t nanos = nanosOf(value);
        parts.day = calendar::floorDivide(nanos, calendar::kNanosPerDay);
        parts.nanos = calendar::floorModulo(nanos, calendar::kNanosPerDay);
    }
    parts.date = calendar::civilFromDays(parts.day);
    parts.hours = parts.nanos / calendar::kNanosPerSecond / 3'600;
    return parts;
}

}  // namespace

std::string timeField(std::string_view written) {
    const std::string word = inLetters(written, Letters::Lower);
    for (const FieldName& name : kFields)
        if (name.written == word) return std::string(name.field);
    throw SqlError(sql_state::kInvalidParameter, fmt::format("unit \"{}\" not recognized", word));
}

__int128 timePart(std::string_view field, const Value& value) {
    if (value.type() == Type::Int128) return intervalPart(field, value);
    if (!isTemporal(value.type())) throw UserError("A date, time or interval is needed here.");
    if (field == "timezone") return 0;
    if (calendar::temporalKind(value.type()) == calendar::TemporalKind::TimeOfDay) {
        const int64_t nanos = temporalAs(value, Type::NanoTime);
        if (field == "epoch") return nanos / 1'000;
        if (const auto part = clockPart(field, nanos)) return *part;
        refuseField(field, value);
    }
    const int64_t nanos = nanosOf(value);
    if (nanos == INT64_MIN) throw SqlError(sql_state::kDatetimeOverflow, "timestamp out of range");
    if (field == "epoch") return calendar::floorDivide(nanos, 1'000);
    if (const auto part = clockPart(field, calendar::floorModulo(nanos, calendar::kNanosPerDay))) return *part;
    if (const auto part = datePart(field, calendar::floorDivide(nanos, calendar::kNanosPerDay)))
        return *part * kMillion;
    refuseField(field, value);
}

int64_t truncateTime(std::string_view field, int64_t nanos) {
    const auto down = [nanos](int64_t unit) { return calendar::floorDivide(nanos, unit) * unit; };
    if (field == "microseconds") return down(1'000);
    if (field == "milliseconds") return down(1'000'000);
    if (field == "second") return down(calendar::kNanosPerSecond);
    if (field == "minute") return down(60 * calendar::kNanosPerSecond);
    if (field == "hour") return down(3'600 * calendar::kNanosPerSecond);
    if (field == "day") return down(calendar::kNanosPerDay);
    const int64_t day = calendar::floorDivide(nanos, calendar::kNanosPerDay);
    const calendar::CivilDate date = calendar::civilFromDays(day);
    const auto at = [](int64_t year, int64_t month) {
        return calendar::daysFromCivil(year, static_cast<int32_t>(month), 1) * calendar::kNanosPerDay;
    };
    if (field == "week") return (day - calendar::weekdayFromDays(day)) * calendar::kNanosPerDay;
    if (field == "month") return at(date.year, date.month);
    if (field == "quarter") return at(date.year, (date.month - 1) / 3 * 3 + 1);
    if (field == "year") return at(date.year, 1);
    if (field == "decade") return at(calendar::floorDivide(date.year, 10) * 10, 1);
    if (field == "century") return at((spanOf(date.year, 100) - 1) * 100 + 1, 1);
    throw SqlError(sql_state::kInvalidParameter,
                   fmt::format("unit \"{}\" not supported for type timestamp without time zone", field));
}

std::string formatTime(const Value& value, std::string_view format) {
    const Parts parts = partsOf(value);
    std::string text;
    bool isFilled = true;
    for (size_t i = 0; i < format.size();) {
        const std::string_view rest = format.substr(i);
        if (rest[0] == '"') {
            const size_t end = std::min(rest.find('"', 1), rest.size());
            text += rest.substr(1, end - 1);
            i += end + 1;
            continue;
        }
        if (rest.starts_with("FM") || rest.starts_with("fm")) {
            isFilled = false;
            i += 2;
            continue;
        }
        const std::string_view pattern = patternAt(rest);
        if (pattern.empty()) {
            text += rest[0];
            ++i;
            continue;
        }
        std::string shown = patternText(pattern, parts, isFilled);
        i += pattern.size();
        if (format.substr(i).starts_with("th") || format.substr(i).starts_with("TH")) {
            const int64_t x = std::atoll(shown.c_str());
            const std::string_view ending = x % 100 >= 11 && x % 100 <= 13 ? "th"
                                            : x % 10 == 1                  ? "st"
                                            : x % 10 == 2                  ? "nd"
                                            : x % 10 == 3                  ? "rd"
                                                                           : "th";
            shown += inLetters(ending, format[i] == 'T' ? Letters::Upper : Letters::Lower);
            i += 2;
        }
        text += shown;
        isFilled = true;
    }
    return text;
}

std::string formatNumber(const Value& value, std::string_view format) {
    bool isFilled = true, isSigned = false;
    std::string pattern(format);
    if (pattern.starts_with("FM") || pattern.starts_with("fm")) {
        isFilled = false;
        pattern.erase(0, 2);
    }
    if (pattern.starts_with("S") || pattern.starts_with("s")) {
        isSigned = true;
        pattern.erase(0, 1);
    }
    for (const char c : pattern)
        if (std::string_view("09.,DGdg").find(c) == std::string_view::npos)
            throw SqlError(sql_state::kFeatureNotSupported,
                           fmt::format("the pattern \"{}\" of to_char is not supported", format));
    const size_t point = std::min(pattern.find_first_of(".Dd"), pattern.size());
    const auto decimals = static_cast<int>(std::count_if(pattern.begin() + static_cast<std::ptrdiff_t>(point),
                                                         pattern.end(), [](char c) { return c == '0' || c == '9'; }));
    std::string written = textForm(convertNumber(value, oid::kNumeric, std::min(decimals, 20), 38), oid::kNumeric, -1);
    const bool isNegative = written.starts_with('-');
    if (isNegative) written.erase(0, 1);
    const size_t dot = std::min(written.find('.'), written.size());
    std::string whole = written.substr(0, dot), fraction = dot < written.size() ? written.substr(dot + 1) : "";
    if (whole == "0" && pattern.substr(0, point).find('0') == std::string::npos) whole.clear();
    const auto places =
        static_cast<size_t>(std::count_if(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(point),
                                          [](char c) { return c == '0' || c == '9'; }));
    const bool isTooWide = whole.size() > places;
    std::string digits;
    size_t next = whole.size();
    bool isZero = false;
    // From the point to the left: a 0 fills all places to its right.
    const size_t firstZero = std::min(pattern.substr(0, point).find('0'), point);
    for (size_t i = point; i-- > 0;) {
        const char c = pattern[i];
        isZero = i >= firstZero;
        if (c == ',' || c == 'G' || c == 'g') {
            digits += next > 0 || isZero ? (isTooWide ? '#' : ',') : (isFilled ? ' ' : '\0');
        } else if (isTooWide) {
            digits += '#';
        } else if (next > 0) {
            digits += whole[--next];
        } else {
            digits += isZero ? '0' : (isFilled ? ' ' : '\0');
        }
    }
    std::erase(digits, '\0');
    std::reverse(digits.begin(), digits.end());
    if (point < pattern.size()) {
        digits += '.';
        for (size_t i = point + 1, k = 0; i < pattern.size(); ++i, ++k)
            digits += isTooWide ? '#' : k < fraction.size() ? fraction[k] : '0';
        if (!isFilled && pattern.substr(point).find('0') == std::string::npos)
            while (digits.ends_with('0')) digits.pop_back();
    }
    const size_t begin = std::min(digits.find_first_not_of(' '), digits.size());
    const std::string sign = isNegative ? "-" : isSigned ? "+" : isFilled ? " " : "";
    return digits.substr(0, begin) + sign + digits.substr(begin);
}

int64_t parseByFormat(std::string_view text, std::string_view format) {
    int64_t year = 1, month = 1, day = 1, hours = 0, minutes = 0, seconds = 0, micros = 0;
    bool isAfternoon = false, hasHalf = false;
    size_t at = 0;
    const auto fail = [&] {
        throw SqlError(sql_state::kInvalidDatetime, fmt::format("invalid value \"{}\" for the format \"{}\"",
                                                                text.substr(std::min(at, text.size())), format));
    };
    const auto number = [&](size_t most) {
        while (at < text.size() && text[at] == ' ') ++at;
        int64_t x = 0;
        size_t count = 0;
        for (; count < most && at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++count)
            x = x * 10 + (text[at++] - '0');
        if (count == 0) fail();
        return std::pair(x, count);
    };
    const auto name = [&](const auto& names) {
        for (size_t i = 0; i < names.size(); ++i) {
            for (const size_t length : {names[i].size(), size_t{3}}) {
                if (inLetters(text.substr(at, length), Letters::Lower) ==
                    inLetters(names[i].substr(0, length), Letters::Lower)) {
                    at += length;
                    return static_cast<int64_t>(i);
                }
            }
        }
        fail();
        return int64_t{0};
    };
    for (size_t i = 0; i < format.size();) {
        const std::string_view rest = format.substr(i);
        if (rest.starts_with("FM")) {
            i += 2;
            continue;
        }
        const std::string_view pattern = patternAt(rest);
        if (pattern.empty()) {
            // Any separator matches any other.
            if (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) == 0) ++at;
            ++i;
            continue;
        }
        i += pattern.size();
        if (pattern == "YYYY" || pattern == "IYYY")
            year = number(4).first;
        else if (pattern == "YY")
            year = number(2).first, year += year < 70 ? 2'000 : 1'900;
        else if (pattern == "MM")
            month = number(2).first;
        else if (pattern == "DD")
            day = number(2).first;
        else if (pattern == "HH24" || pattern == "HH12" || pattern == "HH")
            hours = number(2).first;
        else if (pattern == "MI")
            minutes = number(2).first;
        else if (pattern == "SS")
            seconds = number(2).first;
        else if (pattern == "MS" || pattern == "US") {
            const auto [x, count] = number(pattern == "MS" ? 3 : 6);
            micros = static_cast<int64_t>(static_cast<double>(x) * std::pow(10.0, 6.0 - static_cast<double>(count)));
        } else if (inLetters(pattern, Letters::Upper).starts_with("MON"))
            month = name(kMonthNames) + 1;
        else if (pattern[0] == 'D' || pattern[0] == 'd')
            name(kDayNames);
        else if (inLetters(pattern, Letters::Upper) == "AM" || inLetters(pattern, Letters::Upper) == "PM") {
            const std::string half = inLetters(text.substr(std::min(at, text.size()), 2), Letters::Lower);
            if (half != "am" && half != "pm") fail();
            isAfternoon = half == "pm";
            hasHalf = true;
            at += 2;
        } else
            throw SqlError(sql_state::kFeatureNotSupported,
                           fmt::format("the pattern \"{}\" is not supported here", pattern));
    }
    if (hasHalf) hours = hours % 12 + (isAfternoon ? 12 : 0);
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        !calendar::isDate(year, static_cast<int32_t>(month), static_cast<int32_t>(day)) || hours > 23 || minutes > 59 ||
        seconds > 59)
        throw SqlError(sql_state::kDatetimeOverflow, fmt::format("date/time field value out of range: \"{}\"", text));
    const int64_t days = calendar::daysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
    if (days < -106'751 || days > 106'750)
        throw SqlError(sql_state::kDatetimeOverflow, fmt::format("timestamp out of range: \"{}\"", text));
    return days * calendar::kNanosPerDay + (hours * 3'600 + minutes * 60 + seconds) * calendar::kNanosPerSecond +
           micros * 1'000;
}

}  // namespace pelorus::postgres
