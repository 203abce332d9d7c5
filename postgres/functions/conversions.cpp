#include "postgres/functions/conversions.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "common/time/calendar.h"
#include "postgres/functions/time_texts.h"
#include "postgres/json/json_value.h"
#include "postgres/sql_error.h"
#include "runtime/append/empty_text.h"
#include "runtime/value/decimal.h"

namespace pelorus::postgres {

namespace {

[[noreturn]] void refuseText(std::string_view text, Oid type) {
    throw SqlError(sql_state::kInvalidText,
                   fmt::format("invalid input syntax for type {}: \"{}\"", formatType(type, -1), text));
}

[[noreturn]] void refuseRange(std::string_view text, Oid type) {
    throw SqlError(sql_state::kOutOfRange,
                   fmt::format("value \"{}\" is out of range for type {}", text, formatType(type, -1)));
}

[[noreturn]] void refuseNumber(Oid type) {
    throw SqlError(sql_state::kOutOfRange, fmt::format("{} out of range", formatType(type, -1)));
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n\f\v";
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// The bounds of an integer type; the smallest value is the engine's NULL, and so none of a column.
struct Bounds {
    int64_t least, greatest;
};
Bounds boundsOf(Oid type) {
    if (type == oid::kInt2) return {-INT16_MAX, INT16_MAX};
    if (type == oid::kInt4) return {-INT32_MAX, INT32_MAX};
    if (type == oid::kInt8) return {-INT64_MAX, INT64_MAX};
    return {0, UINT32_MAX};  // oid and the like
}

Value integerOf(__int128 x, Oid type) {
    const Bounds bounds = boundsOf(type);
    if (x < bounds.least || x > bounds.greatest) refuseNumber(type);
    return Value::scalar(oidFacts(type)->kept, static_cast<int64_t>(x));
}

Value parseInteger(std::string_view text, Oid type) {
    std::string_view digits = trimmed(text);
    const bool isNegative = digits.starts_with('-');
    if (isNegative || digits.starts_with('+')) digits.remove_prefix(1);
    if (digits.empty()) refuseText(text, type);
    __int128 x = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') refuseText(text, type);
        if (x < (__int128{1} << 80)) x = x * 10 + (c - '0');
    }
    if (isNegative) x = -x;
    const Bounds bounds = boundsOf(type);
    if (x < bounds.least || x > bounds.greatest) refuseRange(text, type);
    return integerOf(x, type);
}

Value parseReal(std::string_view text, Oid type) {
    const std::string whole(trimmed(text));
    char* end = nullptr;
    const double x = std::strtod(whole.c_str(), &end);
    const bool isHex = whole.find_first_of("xX") != std::string::npos;
    if (whole.empty() || end != whole.c_str() + whole.size() || isHex) refuseText(text, type);
    if (std::isnan(x)) throw SqlError(sql_state::kOutOfRange, "NaN is no value here: it is NULL to the engine.");
    if (type == oid::kFloat4) {
        const auto narrow = static_cast<float>(x);
        if (std::isinf(narrow) && !std::isinf(x)) refuseRange(text, type);
        if (Value::ofFloat(narrow).isNull()) refuseRange(text, type);
        return Value::ofFloat(narrow);
    }
    if (Value::ofDouble(x).isNull()) refuseRange(text, type);
    if (std::isinf(x) && whole.find_first_of("iI") == std::string::npos) refuseRange(text, type);
    return Value::ofDouble(x);
}

// The digits of a decimal number, and how many of them stand behind the point.
struct Digits {
    bool isNegative = false;
    std::string digits;
    int64_t scale = 0;
};

Digits readDigits(std::string_view text) {
    std::string_view rest = trimmed(text);
    Digits read;
    read.isNegative = rest.starts_with('-');
    if (read.isNegative || rest.starts_with('+')) rest.remove_prefix(1);
    bool isBehindPoint = false, isAny = false;
    size_t i = 0;
    for (; i < rest.size(); ++i) {
        const char c = rest[i];
        if (c == '.' && !isBehindPoint) {
            isBehindPoint = true;
        } else if (c >= '0' && c <= '9') {
            isAny = true;
            if (c != '0' || !read.digits.empty() || isBehindPoint) read.digits += c;
            if (isBehindPoint) ++read.scale;
        } else {
            break;
        }
    }
    if (!isAny) refuseText(text, oid::kNumeric);
    if (i < rest.size()) {
        if (rest[i] != 'e' && rest[i] != 'E') refuseText(text, oid::kNumeric);
        const std::string exponent(rest.substr(i + 1));
        char* end = nullptr;
        const long power = std::strtol(exponent.c_str(), &end, 10);
        if (exponent.empty() || end != exponent.c_str() + exponent.size()) refuseText(text, oid::kNumeric);
        if (std::abs(power) > 1000) refuseNumber(oid::kNumeric);
        read.scale -= power;
    }
    return read;
}

[[noreturn]] void refuseOverflow() {
    throw SqlError(sql_state::kOutOfRange, "numeric field overflow");
}

Value checkedNumeric(__int128 raw, int scale, int precision) {
    const __int128 limit = decimal::power(std::clamp(precision, 0, 38));
    if (raw >= limit || raw <= -limit) refuseOverflow();
    return decimal::make(Type::Decimal128, raw, scale);
}

// `scale` -1: as many digits as were written, up to 38.
Value parseNumeric(std::string_view text, int scale, int precision) {
    Digits read = readDigits(text);
    if (scale < 0) scale = static_cast<int>(std::clamp<int64_t>(read.scale, 0, 38));
    const int64_t dropped = read.scale - scale;
    bool isUp = false;
    if (dropped > 0) {
        const auto kept = static_cast<int64_t>(read.digits.size()) - dropped;
        isUp = kept >= 0 && kept < static_cast<int64_t>(read.digits.size()) &&
               read.digits[static_cast<size_t>(kept)] >= '5';
        read.digits.resize(static_cast<size_t>(std::max<int64_t>(kept, 0)));
    } else {
        read.digits.append(static_cast<size_t>(-dropped), '0');
    }
    const size_t significant = std::min(read.digits.find_first_not_of('0'), read.digits.size());
    if (read.digits.size() - significant > 38) refuseOverflow();
    __int128 raw = 0;
    for (const char c : read.digits) raw = raw * 10 + (c - '0');
    if (isUp) ++raw;
    return checkedNumeric(read.isNegative ? -raw : raw, scale, precision);
}

Value parseBool(std::string_view text) {
    std::string word(trimmed(text));
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto begins = [&word](std::string_view whole, size_t least) {
        return word.size() >= least && whole.starts_with(word);
    };
    if (begins("true", 1) || begins("yes", 1) || word == "on" || word == "1") return Value::ofBool(true);
    if (begins("false", 1) || begins("no", 1) || begins("off", 2) || word == "0") return Value::ofBool(false);
    refuseText(text, oid::kBool);
}

Value parseUuid(std::string_view text) {
    std::string digits;
    for (const char c : trimmed(text))
        if (c != '-' && c != '{' && c != '}') digits += c;
    if (digits.size() != 32) refuseText(text, oid::kUuid);
    uint8_t bytes[16];
    for (size_t i = 0; i < 16; ++i) {
        const std::string pair = digits.substr(2 * i, 2);
        char* end = nullptr;
        // The engine keeps the last byte first.
        bytes[15 - i] = static_cast<uint8_t>(std::strtoul(pair.c_str(), &end, 16));
        if (end != pair.c_str() + 2) refuseText(text, oid::kUuid);
    }
    return keptUuid(bytes);
}

Value parseBytea(std::string_view text) {
    std::string bytes;
    if (text.starts_with("\\x")) {
        std::string digits;
        for (const char c : text.substr(2))
            if (std::isspace(static_cast<unsigned char>(c)) == 0) digits += c;
        if (digits.size() % 2 != 0)
            throw SqlError(sql_state::kInvalidParameter, "invalid hexadecimal data: odd number of digits");
        for (size_t i = 0; i < digits.size(); i += 2) {
            const std::string pair = digits.substr(i, 2);
            if (std::isxdigit(static_cast<unsigned char>(pair[0])) == 0 ||
                std::isxdigit(static_cast<unsigned char>(pair[1])) == 0)
                throw SqlError(sql_state::kInvalidParameter, "invalid hexadecimal digit: \"" + pair + "\"");
            bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
        }
    } else {
        bytes = text;
    }
    return keptBytes(bytes);
}

std::string realText(double x, bool isSingle) {
    if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
    if (std::isnan(x)) return "NaN";
    if (x == 0) return std::signbit(x) ? "-0" : "0";
    // The fewest digits that give the number again, as d.ddde±x.
    char buffer[64];
    const auto end =
        isSingle ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(x), std::chars_format::scientific)
                 : std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific);
    std::string_view written(buffer, static_cast<size_t>(end.ptr - buffer));
    const bool isNegative = written.starts_with('-');
    if (isNegative) written.remove_prefix(1);
    const size_t e = written.find('e');
    const int exponent = std::atoi(std::string(written.substr(e + 1)).c_str());
    std::string digits;
    for (const char c : written.substr(0, e))
        if (c != '.') digits += c;
    std::string text = isNegative ? "-" : "";
    const int fixedBelow = isSingle ? 6 : 15;
    if (exponent < -4 || exponent >= fixedBelow) {
        text += digits.substr(0, 1);
        if (digits.size() > 1) text += "." + digits.substr(1);
        return text + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
    }
    if (exponent < 0) return text + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    const auto whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole) return text + digits + std::string(whole - digits.size(), '0');
    return text + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string numericText(__int128 raw, int scale) {
    const bool isNegative = raw < 0;
    unsigned __int128 magnitude =
        isNegative ? -static_cast<unsigned __int128>(raw) : static_cast<unsigned __int128>(raw);
    std::string digits;
    while (magnitude > 0 || static_cast<int>(digits.size()) <= scale) {
        digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
        magnitude /= 10;
    }
    if (scale > 0) digits.insert(static_cast<size_t>(scale), ".");
    if (isNegative) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

std::string uuidText(const Value& value) {
    std::string text;
    for (int i = 15; i >= 0; --i) {
        text += fmt::format("{:02x}", value.bytes16()[i]);
        if (i == 12 || i == 10 || i == 8 || i == 6) text += '-';
    }
    return text;
}

std::string byteaText(std::string_view bytes) {
    std::string text = "\\x";
    for (const char c : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(c));
    return text;
}

__int128 roundedReal(double x, Oid type) {
    const double rounded = std::nearbyint(x);
    if (!(std::abs(rounded) < 1e37)) refuseNumber(type);
    return static_cast<__int128>(rounded);
}

}  // namespace

Value textValue(std::string_view text) {
    return Value::ofString(text.empty() ? kEmptyText : text);
}

std::string_view textOfValue(const Value& value) {
    const std::string_view text = value.string();
    return text == kEmptyText ? std::string_view() : text;
}

Value keptUuid(const void* bytes) {
    const Value value = Value::ofBytes16(Type::Uuid, bytes);
    if (value.isNull())
        throw SqlError(sql_state::kFeatureNotSupported, "the uuid of zeros is not supported: columns keep it as NULL");
    return value;
}

Value keptBytes(std::string_view bytes) {
    if (bytes.empty())
        throw SqlError(sql_state::kFeatureNotSupported,
                       "a bytea without bytes is not supported: columns keep it as NULL");
    return Value::ofString(bytes, Type::Blob);
}

Value parseText(std::string_view text, Oid type, int32_t modifier) {
    switch (type) {
        case oid::kBool:
            return parseBool(text);
        case oid::kInt2:
        case oid::kInt4:
        case oid::kInt8:
        case oid::kOid:
        case oid::kXid:
        case oid::kRegclass:
        case oid::kRegtype:
        case oid::kRegnamespace:
        case oid::kRegrole:
            return parseInteger(text, type);
        case oid::kFloat4:
        case oid::kFloat8:
            return parseReal(text, type);
        case oid::kNumeric:
            return parseNumeric(text, modifier < 0 ? -1 : numericScale(modifier),
                                modifier < 0 ? 38 : numericPrecision(modifier));
        case oid::kDate:
            return parseDateText(text);
        case oid::kTime:
        case oid::kTimetz:
            return parseTimeText(text);
        case oid::kTimestamp:
            return parseTimestampText(text, false);
        case oid::kTimestamptz:
            return parseTimestampText(text, true);
        case oid::kInterval:
            return intervalValue(parseIntervalText(text));
        case oid::kUuid:
            return parseUuid(text);
        case oid::kBytea:
            return parseBytea(text);
        case oid::kJson:
        case oid::kJsonb:
            return textValue(checkedJson(text, type == oid::kJsonb));
        default:
            return textValue(text);
    }
}

std::string textForm(const Value& value, Oid type, int32_t modifier) {
    if (isLiteral(value.type())) {
        if (type == oid::kBytea || value.type() == Type::Blob) return byteaText(value.string());
        return std::string(textOfValue(value));
    }
    if (isDecimal(value.type())) {
        __int128 raw = decimal::rawOf(value);
        int scale = value.extra();
        if (modifier >= 0 && decimal::rescale(raw, scale, numericScale(modifier))) scale = numericScale(modifier);
        if (modifier == kOwnScales) decimal::dropZeros(raw, scale);
        return numericText(raw, scale);
    }
    switch (value.type()) {
        case Type::Bool:
            return value.integer() != 0 ? "true" : "false";
        case Type::Float:
            return realText(value.real(), true);
        case Type::Double:
            return realText(value.real(), false);
        case Type::Uuid:
            return uuidText(value);
        case Type::Int128:
            if (type == oid::kInterval) return intervalText(intervalOf(value));
            break;
        case Type::Date:
        case Type::Month:
            return dateText(value);
        default:
            break;
    }
    if (calendar::temporalKind(value.type()) == calendar::TemporalKind::TimeOfDay) return timeText(value);
    if (calendar::temporalKind(value.type()) == calendar::TemporalKind::Instant)
        return type == oid::kDate ? dateText(value) : timestampText(value, type == oid::kTimestamptz);
    if (isIntegral(value.type())) return fmt::format("{}", value.integer());
    return plainText(value);
}

Value convertNumber(const Value& value, Oid type, int scale, int precision) {
    if (value.isNull()) return Value::nullOf(oidFacts(type)->kept);
    const bool isReal = value.type() == Type::Double || value.type() == Type::Float;
    if (type == oid::kFloat8) return Value::ofDouble(value.asDouble());
    if (type == oid::kFloat4) {
        const auto narrow = static_cast<float>(value.asDouble());
        const Value made = Value::ofFloat(narrow);
        if (made.isNull() || (std::isinf(narrow) && !std::isinf(value.asDouble()))) refuseNumber(type);
        return made;
    }
    if (type == oid::kNumeric) {
        if (isReal) {
            if (!std::isfinite(value.real())) refuseNumber(type);
            // PostgreSQL takes 15 digits of a float8, 6 of a float4.
            return parseNumeric(fmt::format("{:.{}e}", value.real(), value.type() == Type::Double ? 14 : 5), scale,
                                precision);
        }
        __int128 raw = isDecimal(value.type()) ? decimal::rawOf(value) : __int128{value.integer()};
        if (!decimal::rescale(raw, isDecimal(value.type()) ? value.extra() : 0, scale)) refuseOverflow();
        return checkedNumeric(raw, scale, precision);
    }
    if (isReal) return integerOf(roundedReal(value.real(), type), type);
    __int128 raw = isDecimal(value.type()) ? decimal::rawOf(value) : __int128{value.integer()};
    if (isDecimal(value.type()) && !decimal::rescale(raw, value.extra(), 0)) refuseNumber(type);
    return integerOf(raw, type);
}

Value varcharOf(std::string_view text, int length, bool isPadded) {
    // Lengths count characters.
    size_t end = text.size();
    if (length > 0) {
        int count = 0;
        end = 0;
        while (end < text.size() && count < length) {
            ++end;
            while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
            ++count;
        }
    }
    text = text.substr(0, end);
    if (isPadded) text = text.substr(0, text.find_last_not_of(' ') + 1);
    return textValue(text);
}

Value intervalValue(const Interval& interval) {
    uint8_t bytes[16];
    std::memcpy(bytes, &interval.micros, 8);
    std::memcpy(bytes + 8, &interval.days, 4);
    std::memcpy(bytes + 12, &interval.months, 4);
    // Sixteen zero bytes are the engine's NULL: no time at all has a bit that the others leave.
    if (interval.months == 0 && interval.days == 0 && interval.micros == 0) bytes[15] = 0x80;
    return Value::ofBytes16(Type::Int128, bytes);
}

Interval intervalOf(const Value& value) {
    Interval interval;
    if (value.type() != Type::Int128 || value.isNull()) return interval;
    const uint8_t* bytes = value.bytes16();
    std::memcpy(&interval.micros, bytes, 8);
    std::memcpy(&interval.days, bytes + 8, 4);
    std::memcpy(&interval.months, bytes + 12, 4);
    if (interval.months == std::numeric_limits<int32_t>::min()) interval.months = 0;
    return interval;
}

int64_t temporalAs(const Value& value, Type type) {
    if (!value.isScalar() || !isTemporal(value.type()) || !calendar::canConvert(value.type(), type))
        throw UserError("A date or time is needed here.");
    return calendar::convert(value.integer(), value.type(), type);
}

int64_t nanosOf(const Value& instant) {
    if (instant.isNull()) return INT64_MIN;
    return temporalAs(instant, Type::NanoTimestamp);
}

}  // namespace pelorus::postgres
