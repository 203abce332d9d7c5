#include "runtime/text/temporal_text.h"

#include <array>
#include <cctype>
#include <string>

#include "common/error.h"
#include "common/time/calendar.h"

namespace pelorus::text {

namespace {

// The parts of a date and time that were parsed; missing ones are -1.
struct Parts {
    int year = -1, month = -1, day = -1;
    int hour = -1, minute = -1, second = -1;
    int64_t nanos = -1;
};

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

// Reads at most `most` digits at `at`; returns how many.
int digits(std::string_view text, size_t at, int most, int64_t& number) {
    number = 0;
    int count = 0;
    while (count < most && at + static_cast<size_t>(count) < text.size() &&
           isDigit(text[at + static_cast<size_t>(count)])) {
        number = number * 10 + (text[at + static_cast<size_t>(count)] - '0');
        ++count;
    }
    return count;
}

bool isDateSeparator(char c) {
    return c == '-' || c == '.' || c == '/';
}

// Parses yyyy-MM-dd, yyyy-M-d, yyyyMMdd or yyyy-MM; `at` moves past it.
bool readDate(std::string_view text, size_t& at, Parts& parts) {
    int64_t number;
    int count = digits(text, at, 8, number);
    if (count == 8) {
        parts.year = static_cast<int>(number / 10000);
        parts.month = static_cast<int>(number / 100 % 100);
        parts.day = static_cast<int>(number % 100);
        at += 8;
        return true;
    }
    if (count != 4 || at + 4 >= text.size() || !isDateSeparator(text[at + 4])) return false;
    const char separator = text[at + 4];
    parts.year = static_cast<int>(number);
    at += 5;
    count = digits(text, at, 2, number);
    if (count == 0) return false;
    parts.month = static_cast<int>(number);
    at += static_cast<size_t>(count);
    if (at < text.size() && text[at] == 'M') {
        ++at;
        return true;
    }
    if (at >= text.size() || text[at] != separator) return true;
    ++at;
    count = digits(text, at, 2, number);
    if (count == 0) return false;
    parts.day = static_cast<int>(number);
    at += static_cast<size_t>(count);
    return true;
}

constexpr std::array<int64_t, 10> kPowers = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

// Parses HH:mm or HH:mm:ss, with a fraction of up to nine digits.
bool readTime(std::string_view text, size_t& at, Parts& parts, int& fractionDigits) {
    int64_t number;
    int count = digits(text, at, 2, number);
    if (count == 0 || at + static_cast<size_t>(count) >= text.size() || text[at + static_cast<size_t>(count)] != ':')
        return false;
    parts.hour = static_cast<int>(number);
    at += static_cast<size_t>(count) + 1;
    count = digits(text, at, 2, number);
    if (count != 2) return false;
    parts.minute = static_cast<int>(number);
    at += 2;
    if (at < text.size() && text[at] == 'm') {
        ++at;
        return true;
    }
    if (at >= text.size() || text[at] != ':') return true;
    ++at;
    count = digits(text, at, 2, number);
    if (count != 2) return false;
    parts.second = static_cast<int>(number);
    at += 2;
    if (at >= text.size() || (text[at] != '.' && text[at] != ',')) return true;
    ++at;
    count = digits(text, at, 9, number);
    if (count == 0) return false;
    parts.nanos = number * kPowers[static_cast<size_t>(9 - count)];
    fractionDigits = count;
    at += static_cast<size_t>(count);
    return true;
}

bool read(std::string_view text, Parts& parts, int& fractionDigits) {
    size_t at = 0;
    fractionDigits = 0;
    if (text.size() > 2 && (text[1] == ':' || text[2] == ':'))
        return readTime(text, at, parts, fractionDigits) && at == text.size();
    if (!readDate(text, at, parts)) return false;
    if (at == text.size()) return true;
    if (text[at] != ' ' && text[at] != 'T' && text[at] != 'D') return false;
    ++at;
    if (at + 2 == text.size() && isDigit(text[at]) && isDigit(text[at + 1])) {
        parts.hour = (text[at] - '0') * 10 + (text[at + 1] - '0');
        return true;
    }
    if (!readTime(text, at, parts, fractionDigits)) return false;
    if (at < text.size() && text[at] == 'Z') ++at;
    return at == text.size();
}

bool makeValue(const Parts& parts, Type type, int64_t& stored) {
    if (type == Type::Month) {
        if (parts.year < 0 || parts.month < 1 || parts.month > 12) return false;
        stored = static_cast<int64_t>(parts.year) * 12 + parts.month - 1;
        return true;
    }
    const auto part = [](int x) { return static_cast<int64_t>(x < 0 ? 0 : x); };
    if (parts.hour > 23 || parts.minute > 59 || parts.second > 59) return false;
    const int64_t nanosOfDay =
        ((part(parts.hour) * 60 + part(parts.minute)) * 60 + part(parts.second)) * calendar::kNanosPerSecond +
        (parts.nanos < 0 ? 0 : parts.nanos);
    const int64_t units = calendar::unitsPerDay(type);
    if (units == 0) return false;
    const int64_t inDay = nanosOfDay / (calendar::kNanosPerDay / units);
    if (calendar::temporalKind(type) == calendar::TemporalKind::TimeOfDay) {
        if (parts.hour < 0) return false;
        stored = inDay;
        return true;
    }
    if (parts.year < 0 || parts.day < 0 || !calendar::isDate(parts.year, parts.month, parts.day)) return false;
    const int64_t days = calendar::daysFromCivil(parts.year, parts.month, parts.day);
    if (__builtin_mul_overflow(days, units, &stored)) return false;
    stored += inDay;
    return storageOf(type) == Storage::Int64 || (stored > INT32_MIN && stored <= INT32_MAX);
}

}  // namespace

bool parseTemporal(std::string_view text, Type type, int64_t& stored) {
    Parts parts;
    int fractionDigits;
    return read(text, parts, fractionDigits) && makeValue(parts, type, stored);
}

Type temporalTypeOf(std::string_view text) {
    Parts parts;
    int fractionDigits;
    if (text.empty() || !isDigit(text[0]) || !read(text, parts, fractionDigits)) return Type::Void;
    Type type;
    if (parts.year < 0) {
        type = parts.second < 0      ? Type::Minute
               : fractionDigits == 0 ? Type::Second
               : fractionDigits <= 3 ? Type::Time
                                     : Type::NanoTime;
    } else if (parts.hour < 0) {
        type = parts.day >= 0 ? Type::Date : Type::Month;
        // 2024.03 is a number, and so is a run of digits that is too early or late for a date.
        if (type == Type::Month && text.size() > 4 && text[4] == '.' && text.back() != 'M') return Type::Void;
        if (isDigit(text[4]) && (parts.year < 1900 || parts.year > 2100)) return Type::Void;
    } else if (parts.minute < 0) {
        type = Type::DateHour;
    } else if (parts.second < 0) {
        type = Type::DateMinute;
    } else {
        type = fractionDigits == 0 ? Type::DateTime : fractionDigits <= 3 ? Type::Timestamp : Type::NanoTimestamp;
    }
    int64_t stored;
    return makeValue(parts, type, stored) ? type : Type::Void;
}

// ---- patterns

TemporalPattern::TemporalPattern(std::string_view pattern, Type type) : type_(type) {
    bool hasYear = false, hasHour = false;
    for (size_t i = 0; i < pattern.size();) {
        const char c = pattern[i];
        if (std::string_view("yMdHhmsSna").find(c) == std::string_view::npos) {
            parts_.push_back({0, 1, c});
            ++i;
            continue;
        }
        size_t end = i;
        while (end < pattern.size() && pattern[end] == c) ++end;
        parts_.push_back({c, static_cast<int>(end - i), 0});
        hasYear |= c == 'y';
        hasHour |= c == 'H' || c == 'h' || c == 'm' || c == 's';
        i = end;
    }
    const bool needsTime = calendar::temporalKind(type) == calendar::TemporalKind::TimeOfDay;
    if (needsTime ? !hasHour : !hasYear) {
        throw UserError(
            "The format \"" + std::string(pattern) + "\" does not give a " + std::string(typeName(type)) + ".",
            "Use yyyy MM dd HH mm ss SSS, as in \"MM/dd/yyyy\".");
    }
}

static int monthByName(std::string_view text) {
    static constexpr std::array<std::string_view, 12> kNames = {"jan", "feb", "mar", "apr", "may", "jun",
                                                                "jul", "aug", "sep", "oct", "nov", "dec"};
    if (text.size() < 3) return -1;
    for (size_t i = 0; i < kNames.size(); ++i) {
        bool equal = true;
        for (size_t k = 0; k < 3; ++k) equal &= std::tolower(static_cast<unsigned char>(text[k])) == kNames[i][k];
        if (equal) return static_cast<int>(i) + 1;
    }
    return -1;
}

bool TemporalPattern::parse(std::string_view text, int64_t& stored) const {
    Parts parts;
    parts.month = parts.day = 1;
    bool afternoon = false, halfDays = false;
    size_t at = 0;
    for (const Part& part : parts_) {
        if (part.letter == 0) {
            if (at >= text.size() || text[at] != part.literal) return false;
            ++at;
            continue;
        }
        if (part.letter == 'M' && part.length >= 3) {
            parts.month = monthByName(text.substr(at));
            if (parts.month < 0) return false;
            at += 3;
            continue;
        }
        if (part.letter == 'a') {
            if (at + 2 > text.size()) return false;
            halfDays = true;
            afternoon = text[at] == 'P' || text[at] == 'p';
            at += 2;
            continue;
        }
        // One letter takes one or two digits, so that d/M/yyyy reads 5/11/2024.
        const int most = part.letter == 'n' ? 9 : part.length == 1 ? 2 : part.length;
        int64_t number;
        const int count = digits(text, at, most, number);
        if (count == 0 || (part.length > 1 && part.letter != 'n' && part.letter != 'S' && count != part.length))
            return false;
        at += static_cast<size_t>(count);
        const int value = static_cast<int>(number);
        switch (part.letter) {
            case 'y':
                parts.year = part.length <= 2 ? value + (value < 70 ? 2000 : 1900) : value;
                break;
            case 'M':
                parts.month = value;
                break;
            case 'd':
                parts.day = value;
                break;
            case 'H':
            case 'h':
                parts.hour = value;
                break;
            case 'm':
                parts.minute = value;
                break;
            case 's':
                parts.second = value;
                break;
            default:
                parts.nanos = number * kPowers[static_cast<size_t>(9 - count)];
                break;
        }
    }
    if (at != text.size()) return false;
    if (halfDays && parts.hour >= 0) parts.hour = parts.hour % 12 + (afternoon ? 12 : 0);
    if (parts.hour < 0) parts.hour = 0;
    return makeValue(parts, type_, stored);
}

}  // namespace pelorus::text
