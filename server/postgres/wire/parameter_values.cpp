#include "server/postgres/wire/parameter_values.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>

#include "common/time/calendar.h"
#include "postgres/functions/array_text.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/time_texts.h"
#include "postgres/json/json_value.h"
#include "postgres/sql_error.h"
#include "runtime/value/decimal.h"
#include "server/postgres/wire/field_encoder.h"
#include "server/postgres/wire/wire_messages.h"
#include "server/postgres/wire/wire_numbers.h"
#include "server/postgres/wire/wire_times.h"

namespace pelorus::postgres {
namespace {

constexpr int64_t kNanosPerMicro = 1000;
constexpr int32_t kMaxArrayElements = 10'000'000;

[[noreturn]] void refuseBinary(Oid type) {
    const OidFacts* facts = oidFacts(type);
    throw SqlError("22P03", "incorrect binary data format for type " + std::string(facts ? facts->display : "unknown"));
}

Value ofInteger(Type kept, int64_t x) {
    switch (kept) {
        case Type::Short:
            return Value::ofShort(static_cast<int16_t>(x));
        case Type::Int:
            return Value::ofInt(static_cast<int32_t>(x));
        default:
            return Value::ofLong(x);
    }
}

// The integers of a type. The least one of the kept type is the engine's NULL, and so refused.
struct IntegerBounds {
    int64_t least, most;
};
IntegerBounds boundsOf(Oid type) {
    switch (type) {
        case oid::kInt2:
            return {INT16_MIN + 1, INT16_MAX};
        case oid::kInt4:
            return {INT32_MIN + int64_t{1}, INT32_MAX};
        case oid::kInt8:
            return {INT64_MIN + 1, INT64_MAX};
        default:
            return {0, UINT32_MAX};
    }
}

int64_t binaryInteger(Oid type, std::string_view bytes) {
    const size_t width = type == oid::kInt8 ? 8 : type == oid::kInt2 ? 2 : 4;
    if (bytes.size() != width) refuseBinary(type);
    MessageReader reader(bytes);
    if (width == 2) return reader.int16();
    const int32_t first = reader.int32();
    if (width == 4) return type == oid::kInt4 ? first : static_cast<int64_t>(static_cast<uint32_t>(first));
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(first)) << 32 |
                                static_cast<uint32_t>(reader.int32()));
}

Value integer(const OidFacts& facts, std::string_view bytes, bool isBinary) {
    const auto [least, most] = boundsOf(facts.oid);
    if (!isBinary) return ofInteger(facts.kept, parseInteger(bytes, least, most, facts.display));
    const int64_t x = binaryInteger(facts.oid, bytes);
    if (x < least || x > most)
        throw SqlError(sql_state::kOutOfRange, std::string(facts.display) + " out of range", -1,
                       "The least integer of a type stands for NULL.");
    return ofInteger(facts.kept, x);
}

int64_t binaryLong(Oid type, std::string_view bytes) {
    if (bytes.size() != 8) refuseBinary(type);
    return binaryInteger(oid::kInt8, bytes);
}

// Returns a number of the type. Throws SqlError 22003 for one beyond it, NaN, and its least one, which is NULL.
Value realOf(const OidFacts& facts, double x) {
    const Value made = facts.oid == oid::kFloat4 ? Value::ofFloat(static_cast<float>(x)) : Value::ofDouble(x);
    if (std::isnan(x) || made.isNull() || std::isinf(made.asDouble()) != std::isinf(x))
        throw SqlError(sql_state::kOutOfRange, std::string(facts.display) + " out of range", -1,
                       "NaN and the least number of a type stand for NULL.");
    return made;
}

Value real(const OidFacts& facts, std::string_view bytes, bool isBinary) {
    if (facts.oid == oid::kFloat4) {
        if (isBinary && bytes.size() != 4) refuseBinary(facts.oid);
        return realOf(
            facts, isBinary ? std::bit_cast<float>(MessageReader(bytes).int32()) : parseFloat8(bytes, facts.display));
    }
    return realOf(facts,
                  isBinary ? std::bit_cast<double>(binaryLong(facts.oid, bytes)) : parseFloat8(bytes, facts.display));
}

Value numeric(std::string_view bytes, bool isBinary) {
    if (isBinary && bytes.size() < 8) refuseBinary(oid::kNumeric);
    const DecimalNumber number = isBinary ? parseBinaryNumeric(bytes) : parseDecimal(bytes);
    return decimal::make(Type::Decimal128, number.raw, number.scale);
}

int64_t nanosOfMicros(Oid type, int64_t micros) {
    if (micros == INT64_MAX || micros == INT64_MIN)
        throw SqlError(sql_state::kDatetimeOverflow, "infinity is not supported by timestamps");
    int64_t shifted = 0, nanos = 0;
    const int64_t origin = type == oid::kTime || type == oid::kTimetz ? 0 : kMicrosTo2000;
    if (__builtin_add_overflow(micros, origin, &shifted) || __builtin_mul_overflow(shifted, kNanosPerMicro, &nanos))
        throw SqlError(sql_state::kDatetimeOverflow, "timestamp out of range", -1, "Years from 1678 to 2261 are kept.");
    return nanos;
}

Value date(std::string_view bytes, bool isBinary) {
    if (!isBinary) return Value::scalar(Type::Date, parseDate(bytes));
    if (bytes.size() != 4) refuseBinary(oid::kDate);
    const int64_t days = MessageReader(bytes).int32() + kDaysTo2000;
    if (days <= INT32_MIN || days > INT32_MAX) throw SqlError(sql_state::kDatetimeOverflow, "date out of range");
    return Value::scalar(Type::Date, days);
}

Value timestamp(Oid type, std::string_view bytes, bool isBinary, const ParameterStyle& style) {
    return Value::scalar(Type::NanoTimestamp, isBinary ? nanosOfMicros(type, binaryLong(type, bytes))
                                                       : parseTimestamp(bytes, type == oid::kTimestamptz, style.zone));
}

Value timeOfDay(Oid type, std::string_view bytes, bool isBinary) {
    if (!isBinary) return Value::scalar(Type::NanoTime, parseTimeOfDay(bytes));
    if (type == oid::kTimetz && bytes.size() != 12) refuseBinary(type);
    const int64_t nanos = nanosOfMicros(oid::kTime, binaryLong(type, bytes.substr(0, 8)));
    if (nanos < 0 || nanos >= calendar::kNanosPerDay) throw SqlError(sql_state::kDatetimeOverflow, "time out of range");
    return Value::scalar(Type::NanoTime, nanos);
}

Value uuid(std::string_view bytes, bool isBinary) {
    if (isBinary && bytes.size() != 16) refuseBinary(oid::kUuid);
    std::string own = isBinary ? std::string(bytes) : uuidBytes(bytes);
    std::reverse(own.begin(), own.end());
    return keptUuid(own.data());
}

int digitOf(char c) {
    const int x =
        std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    return std::isxdigit(static_cast<unsigned char>(c)) ? x : -1;
}

std::string bytesOfText(std::string_view text) {
    std::string bytes;
    if (text.starts_with("\\x")) {
        int high = -1;
        for (const char c : text.substr(2)) {
            if (std::isspace(static_cast<unsigned char>(c)) && high < 0) continue;
            const int digit = digitOf(c);
            if (digit < 0) throw SqlError(sql_state::kInvalidText, "invalid hexadecimal digit in bytea");
            if (high >= 0) bytes += static_cast<char>(high << 4 | digit);
            high = high >= 0 ? -1 : digit;
        }
        if (high >= 0) throw SqlError(sql_state::kInvalidText, "invalid hexadecimal data: odd number of digits");
        return bytes;
    }
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            bytes += text[i];
        } else if (text.substr(i + 1).starts_with('\\')) {
            bytes += '\\';
            ++i;
        } else {
            int byte = 0;
            for (size_t k = 1; k <= 3; ++k) {
                const char c = i + k < text.size() ? text[i + k] : 'x';
                if (c < '0' || c > (k == 1 ? '3' : '7'))
                    throw SqlError(sql_state::kInvalidText, "invalid input syntax for type bytea");
                byte = byte * 8 + (c - '0');
            }
            bytes += static_cast<char>(byte);
            i += 3;
        }
    }
    return bytes;
}

Value interval(std::string_view bytes, bool isBinary) {
    if (!isBinary) return intervalValue(parseIntervalText(bytes));
    if (bytes.size() != 16) refuseBinary(oid::kInterval);
    Interval parts;
    parts.micros = binaryLong(oid::kInterval, bytes.substr(0, 8));
    MessageReader rest(bytes.substr(8));
    parts.days = rest.int32();
    parts.months = rest.int32();
    return intervalValue(parts);
}

// Returns an array as text in braces, each element checked.
Value array(const OidFacts& facts, std::string_view bytes, bool isBinary, const ParameterStyle& style) {
    const Oid element = facts.element != 0 ? facts.element : oid::kText;
    if (!isBinary && (facts.oid == oid::kInt2Vector || facts.oid == oid::kOidVector)) return textValue(bytes);
    std::vector<ArrayItem> elements;
    const auto textOf = [&](std::string_view one, bool oneIsBinary) {
        std::string text;
        fieldText({.label = {}, .type = element}, parseParameter(element, one, oneIsBinary, style), {}, text);
        return text;
    };
    if (!isBinary) {
        elements = arrayItems(bytes);
        for (auto& one : elements)
            if (one) one = textOf(*one, false);
    } else {
        MessageReader reader(bytes);
        const int32_t dimensions = reader.int32();
        reader.int32();
        const auto given = static_cast<Oid>(reader.int32());
        if (dimensions < 0 || dimensions > 1)
            throw SqlError(sql_state::kFeatureNotSupported, "arrays have one dimension here");
        const int32_t count = dimensions == 0 ? 0 : reader.int32();
        if (dimensions == 1) reader.int32();
        if (count < 0 || count > kMaxArrayElements || given != element) refuseBinary(facts.oid);
        for (int32_t i = 0; i < count; ++i) {
            const int32_t length = reader.int32();
            if (length < -1) refuseBinary(facts.oid);
            if (length < 0) {
                elements.emplace_back();
            } else {
                elements.emplace_back(textOf(reader.bytes(static_cast<size_t>(length)), true));
            }
        }
        reader.requireEnd();
    }
    return textValue(arrayText(elements));
}

bool binaryBool(std::string_view bytes) {
    if (bytes.size() != 1) refuseBinary(oid::kBool);
    return bytes[0] != 0;
}

}  // namespace

std::string uuidBytes(std::string_view text) {
    std::string bytes;
    int high = -1;
    std::string_view digits = text;
    if (digits.starts_with('{') && digits.ends_with('}')) digits = digits.substr(1, digits.size() - 2);
    for (const char c : digits) {
        if (c == '-' && high < 0) continue;
        const int digit = digitOf(c);
        if (digit < 0) break;
        if (high >= 0) bytes += static_cast<char>(high << 4 | digit);
        high = high >= 0 ? -1 : digit;
    }
    const auto isDigit = [](char c) { return digitOf(c) >= 0; };
    if (bytes.size() != 16 || std::count_if(digits.begin(), digits.end(), isDigit) != 32 || digits.size() > 36)
        throw SqlError(sql_state::kInvalidText, "invalid input syntax for type uuid: \"" + std::string(text) + "\"");
    return bytes;
}

void requireText(std::string_view bytes) {
    const auto refuse = [](std::string_view rest) {
        std::string shown;
        constexpr char kDigits[] = "0123456789abcdef";
        for (const char c : rest.substr(0, 3)) {
            const auto byte = static_cast<unsigned char>(c);
            shown += std::string(shown.empty() ? "" : " ") + "0x" + kDigits[byte >> 4] + kDigits[byte & 15];
        }
        throw SqlError("22021", "invalid byte sequence for encoding \"UTF8\": " + shown);
    };
    for (size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<unsigned char>(bytes[i]);
        if (lead == 0) refuse(bytes.substr(i, 1));
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const size_t more = lead >= 0xF0 && lead < 0xF5   ? 3
                            : lead >= 0xE0 && lead < 0xF0 ? 2
                            : lead >= 0xC2 && lead < 0xE0 ? 1
                                                          : 0;
        if (more == 0 || i + more >= bytes.size()) refuse(bytes.substr(i));
        uint32_t code = lead & (0x3F >> more);
        for (size_t k = 1; k <= more; ++k) {
            const auto byte = static_cast<unsigned char>(bytes[i + k]);
            if ((byte & 0xC0) != 0x80) refuse(bytes.substr(i));
            code = code << 6 | (byte & 0x3F);
        }
        const uint32_t least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
        if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) refuse(bytes.substr(i));
        i += more + 1;
    }
}

Value parseParameter(Oid type, std::string_view bytes, bool isBinary, const ParameterStyle& style) {
    const OidFacts* facts = oidFacts(type);
    if (!isBinary) requireText(bytes);
    if (facts && facts->category == 'A') return array(*facts, bytes, isBinary, style);
    switch (type) {
        case oid::kBool:
            return Value::ofBool(isBinary ? binaryBool(bytes) : parseBool(bytes));
        case oid::kInt2:
        case oid::kInt4:
        case oid::kInt8:
        case oid::kOid:
        case oid::kXid:
            return integer(*facts, bytes, isBinary);
        case oid::kRegclass:
        case oid::kRegtype:
        case oid::kRegproc:
        case oid::kRegnamespace:
        case oid::kRegrole: {
            const bool isNumber = !bytes.empty() && std::all_of(bytes.begin(), bytes.end(),
                                                                [](unsigned char c) { return std::isdigit(c); });
            if (!isBinary && !isNumber)
                throw SqlError(sql_state::kFeatureNotSupported,
                               "a parameter of type " + std::string(facts->display) + " is a number here");
            return integer(*facts, bytes, isBinary);
        }
        case oid::kFloat4:
        case oid::kFloat8:
            return real(*facts, bytes, isBinary);
        case oid::kNumeric:
            return numeric(bytes, isBinary);
        case oid::kDate:
            return date(bytes, isBinary);
        case oid::kTimestamp:
        case oid::kTimestamptz:
            return timestamp(type, bytes, isBinary, style);
        case oid::kTime:
        case oid::kTimetz:
            return timeOfDay(type, bytes, isBinary);
        case oid::kInterval:
            return interval(bytes, isBinary);
        case oid::kUuid:
            return uuid(bytes, isBinary);
        case oid::kBytea:
            return keptBytes(isBinary ? std::string(bytes) : bytesOfText(bytes));
        case oid::kJsonb:
            if (isBinary && (bytes.empty() || bytes[0] != 1)) refuseBinary(type);
            if (isBinary) bytes.remove_prefix(1);
            [[fallthrough]];
        case oid::kJson:
            requireText(bytes);
            return textValue(checkedJson(bytes, type == oid::kJsonb));
        default:
            break;
    }
    if (facts == nullptr && isBinary)
        throw SqlError(sql_state::kFeatureNotSupported, "type " + std::to_string(type) + " has no binary form here");
    requireText(bytes);
    return textValue(bytes);
}

}  // namespace pelorus::postgres
