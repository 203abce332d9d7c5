// Number tokens to values.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "common/language_settings.h"
#include "common/time/calendar.h"
#include "interpreter/parser/lexer.h"
#include "interpreter/parser/syntax_error.h"

namespace pelorus {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[noreturn]] void refuse(const Token& token, const std::string& why, const std::string& hint = "") {
    throw syntaxError(token.position, "'" + std::string(token.source) + "' " + why, hint);
}

// 00i, 00T …
bool typedNull(std::string_view text, Value& value) {
    if (text.size() != 3 || text.substr(0, 2) != "00") return false;
    for (const TypeFacts& row : kTypeTable) {
        if (row.suffix != text[2] || row.suffix == 0 || row.type == Type::Decimal64) continue;  // 00P is 0
        value = Value::nullOf(row.type);
        return true;
    }
    return false;
}

Value temporal(const Token& token, bool negative) {
    std::string_view text = token.source;
    // 10:30:00.000t: a suffix names the type, which is mostly the one that the digits have anyway.
    Type named = Type::Void;
    for (const TypeFacts& row : kTypeTable) {
        const bool isSuffix = row.suffix != 0 && row.suffix == text.back() && isTemporal(row.type);
        if (isSuffix && row.type != Type::Minute && row.type != Type::Month) named = row.type;
    }
    if (named != Type::Void) text.remove_suffix(1);
    size_t dots = static_cast<size_t>(std::count(text.begin(), text.end(), '.'));
    size_t colon = text.find(':');
    bool hasDate = text.size() > 4 && text[4] == '.';
    size_t clockDot = colon == std::string_view::npos ? colon : text.find('.', colon);
    size_t fraction = clockDot == std::string_view::npos ? 0 : text.size() - clockDot - 1;
    Type type;
    if (hasDate && colon == std::string_view::npos) {
        type = dots == 1 ? Type::Month : Type::Date;
    } else if (hasDate) {
        type = fraction == 0 ? Type::DateTime : fraction <= 3 ? Type::Timestamp : Type::NanoTimestamp;
    } else if (text.back() == 'm') {
        type = Type::Minute;
    } else {
        type = fraction == 0 ? Type::Second : fraction <= 3 ? Type::Time : Type::NanoTime;
    }
    int64_t stored = 0;
    const bool fits = named == Type::Void || named == type || calendar::canConvert(type, named);
    // A moment that a DATETIME cannot hold is NULL, as where it is computed.
    int64_t seconds = 0;
    if (!negative && type == Type::DateTime && calendar::parse(text, Type::Timestamp, seconds) &&
        !calendar::parse(text, type, stored)) {
        return Value::nullOf(named == Type::Void ? type : named);
    }
    if (negative || !fits || !calendar::parse(text, type, stored)) {
        refuse(token, "is not a valid " + std::string(typeName(type)) + ".",
               "Dates are written as 2024.03.15, times as 13:30:10.008.");
    }
    if (named != Type::Void && named != type) return Value::scalar(named, calendar::convert(stored, type, named));
    return Value::scalar(type, stored);
}

struct IntegerRange {
    char suffix;
    Type type;
    uint64_t maximum;
};
constexpr IntegerRange kIntegers[] = {{'b', Type::Bool, 1},
                                      {'c', Type::Char, 127},
                                      {'h', Type::Short, 32767},
                                      {'i', Type::Int, 2147483647},
                                      {'l', Type::Long, INT64_MAX}};

Value integer(const Token& token, uint64_t magnitude, bool tooLarge, char suffix, bool negative) {
    Type type = Type::Int;
    uint64_t maximum = 2147483647;
    for (const IntegerRange& range : kIntegers) {
        if (range.suffix != suffix) continue;
        type = range.type;
        maximum = range.maximum;
    }
    // The minimum of a type is its NULL; it may be written as the number it is.
    uint64_t limit = negative && type != Type::Bool ? maximum + 1 : maximum;
    if (suffix == 0 && (tooLarge || magnitude > limit)) {
        type = Type::Long;
        limit = negative ? uint64_t{INT64_MAX} + 1 : INT64_MAX;
    }
    if (tooLarge || magnitude > limit) {
        if (type == Type::Bool) return Value::ofBool(true);
        if (type != Type::Long) refuse(token, "is too large for " + std::string(typeName(type)) + ".");
        magnitude = INT64_MAX;
    }
    if (type == Type::Bool) return Value::ofBool(magnitude != 0);
    return Value::scalar(type, static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
}

Value decimal64(const Token& token, std::string_view digits, bool negative) {
    __int128 raw = 0;
    int scale = 0;
    bool point = false;
    for (char c : digits) {
        if (c == '.') {
            point = true;
            continue;
        }
        if (!isDigit(c)) refuse(token, "is no decimal: it has an exponent.");
        raw = raw * 10 + (c - '0');
        if (point) ++scale;
        if (raw > INT64_MAX || scale > 18) refuse(token, "is too large for DECIMAL64.", "It holds 18 digits.");
    }
    auto stored = static_cast<int64_t>(raw);
    Value value = Value::scalar(Type::Decimal64, negative ? -stored : stored);
    value.setExtra(static_cast<uint8_t>(scale));
    return value;
}

Value complexNumber(std::string_view text, bool negative) {
    std::string copy(text);
    char* rest = nullptr;
    double parts[2];
    parts[0] = std::strtod(copy.c_str(), &rest);
    parts[1] = std::strtod(rest, nullptr);
    if (negative) parts[0] = -parts[0];
    return Value::ofBytes16(Type::Complex, parts);
}

Value duration(const Token& token, uint64_t amount, std::string_view unit, bool negative) {
    if (amount > INT32_MAX) refuse(token, "is too long a duration.");
    auto signedAmount = static_cast<int32_t>(negative ? -static_cast<int64_t>(amount) : static_cast<int64_t>(amount));
    DurationUnit known;
    if (calendar::unitByName(unit, known)) return Value::ofDuration(signedAmount, static_cast<int32_t>(known));
    bool isCalendar =
        unit.size() == 4 && std::all_of(unit.begin(), unit.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!isCalendar) {
        refuse(token, "is neither a number nor a duration: '" + std::string(unit) + "' is no suffix or unit.",
               unit == "L" ? "The suffix of LONG is l: " + std::to_string(amount) + "l."
               : amount == 0 && unit.starts_with('x')
                   ? "Write the number in decimal digits."
                   : "Suffixes are b c h i l f F P; units are y M w d B H m s ms us ns.");
    }
    int32_t packed = 0;
    for (char c : unit) packed = packed << 8 | c;
    return Value::ofDuration(signedAmount, packed);
}

}  // namespace

Value numberLiteral(const Token& token, bool negative) {
    std::string_view text = token.source;
    Value value;
    if (typedNull(text, value)) return value;
    bool isDate = text.size() > 6 && text[4] == '.' &&
                  (std::count(text.begin(), text.end(), '.') >= 2 || text.back() == 'M') &&
                  std::all_of(text.begin(), text.begin() + 4, isDigit);
    if (isDate || text.find(':') != std::string_view::npos) return temporal(token, negative);
    if (text.find_first_of("+-", 1) != std::string_view::npos && text.back() == 'i')
        return complexNumber(text, negative);

    size_t end = 0;
    bool real = false;
    while (end < text.size() && (isDigit(text[end]) || text[end] == '.')) real |= text[end++] == '.';
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        size_t exponent = end + 1;
        if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
        if (exponent < text.size() && isDigit(text[exponent])) {
            while (exponent < text.size() && isDigit(text[exponent])) ++exponent;
            end = exponent;
            real = true;
        }
    }
    std::string_view digits = text.substr(0, end), suffix = text.substr(end);
    if (suffix == "P") return decimal64(token, digits, negative);
    if (real || suffix == "f" || suffix == "F") {
        if (suffix != "" && suffix != "f" && suffix != "F") refuse(token, "is not a number.");
        const bool plain = suffix.empty() && digits.find_first_of("eE") == std::string_view::npos;
        if (plain && !languageSettings().parseDecimalAsFloatingNumber) return decimal64(token, digits, negative);
        double x = std::strtod(std::string(digits).c_str(), nullptr);
        if (negative) x = -x;
        if (suffix == "f") return Value::ofFloat(static_cast<float>(x));
        return Value::ofDouble(std::isinf(x) ? null<double> : x);
    }
    uint64_t magnitude = 0;
    bool tooLarge = false;
    for (char c : digits) {
        if (magnitude > (UINT64_MAX - 9) / 10) tooLarge = true;
        if (!tooLarge) magnitude = magnitude * 10 + static_cast<uint64_t>(c - '0');
    }
    if (suffix.empty()) return integer(token, magnitude, tooLarge, 0, negative);
    if (suffix.size() == 1 && std::string_view("bchil").find(suffix[0]) != std::string_view::npos) {
        return integer(token, magnitude, tooLarge, suffix[0], negative);
    }
    if (tooLarge || !isLetter(suffix[0]))
        refuse(token, "is not a number.",
               suffix[0] == '_' ? "The digits of a number stand without _ between them." : "");
    return duration(token, magnitude, suffix, negative);
}

}  // namespace pelorus
