// Scalars as strings: as string(x) returns them, and as elements of vectors and tuples.
#include <arpa/inet.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/format/to_source.h"
#include "runtime/function/function.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

std::string hexadecimal(const uint8_t* bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string string;
    // Bytes are stored in little-endian order.
    for (int i = 15; i >= 0; --i) {
        string += kDigits[bytes[i] >> 4];
        string += kDigits[bytes[i] & 15];
    }
    return string;
}

std::string uuidString(const uint8_t* bytes) {
    std::string string = hexadecimal(bytes);
    for (size_t dash : {8u, 13u, 18u, 23u}) string.insert(dash, 1, '-');
    return string;
}

std::string ipAddressString(const uint8_t* bytes) {
    uint8_t network[16];
    std::reverse_copy(bytes, bytes + 16, network);
    bool isV4 = std::all_of(network, network + 12, [](uint8_t byte) { return byte == 0; });
    char buffer[INET6_ADDRSTRLEN];
    if (isV4) return inet_ntop(AF_INET, network + 12, buffer, sizeof buffer);
    return inet_ntop(AF_INET6, network, buffer, sizeof buffer);
}

// Whole parts show a decimal alone, not inside vectors.
std::string complexString(const uint8_t* bytes, bool alone = true) {
    double parts[2];
    std::memcpy(parts, bytes, sizeof parts);
    auto part = [alone](double x) {
        std::string string = displayDouble(x);
        bool whole = string.find_first_of(".EN") == std::string::npos && string.find("inf") == std::string::npos;
        return whole && alone ? string + ".0" : string;
    };
    return part(parts[0]) + (parts[1] < 0 ? "" : "+") + part(parts[1]) + "i";
}

std::string pointString(const uint8_t* bytes) {
    double parts[2];
    std::memcpy(parts, bytes, sizeof parts);
    return "(" + displayDouble(parts[0]) + ", " + displayDouble(parts[1]) + ")";
}

std::string digitsOf(__int128 value) {
    bool negative = value < 0;
    auto magnitude = negative ? static_cast<unsigned __int128>(0) - static_cast<unsigned __int128>(value)
                              : static_cast<unsigned __int128>(value);
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
        magnitude /= 10;
    } while (magnitude > 0);
    if (negative) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

std::string decimalString(const Value& value) {
    __int128 raw;
    if (value.type() == Type::Decimal128) {
        std::memcpy(&raw, value.bytes16(), sizeof raw);
    } else {
        raw = value.integer();
    }
    std::string digits = digitsOf(raw < 0 ? -raw : raw);
    size_t scale = value.extra();
    if (scale > 0) {
        if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
        digits.insert(digits.size() - scale, 1, '.');
    }
    return raw < 0 ? "-" + digits : digits;
}

std::string durationString(const Value& value) {
    std::string string = std::to_string(value.integer());
    int32_t unit = value.unit();
    constexpr int32_t kSmallestCalendar = 1 << 24;
    if (unit < kSmallestCalendar) return string + std::string(calendar::unitName(static_cast<DurationUnit>(unit)));
    for (int shift = 24; shift >= 0; shift -= 8) string += static_cast<char>(unit >> shift & 0xFF);
    return string;
}

std::string charString(const Value& value) {
    int64_t code = value.integer();
    return code >= 32 && code < 127 ? std::string(1, static_cast<char>(code)) : std::to_string(code);
}

}  // namespace

std::string toString(const Value& scalar) {
    if (!scalar.isScalar()) throw UserError("Text can be made of a scalar here, not of " + typeString(scalar) + ".");
    // UUID, IPADDR and INT128 show their zeros.
    const bool showsNull = scalar.type() == Type::Function || categoryOf(scalar.type()) == Category::Binary;
    if (scalar.isNull() && !showsNull) return "";
    switch (scalar.type()) {
        case Type::Bool:
            return scalar.integer() ? "true" : "false";
        case Type::Char:
            return charString(scalar);
        case Type::Short:
        case Type::Int:
        case Type::Long:
        case Type::Compress:
            return std::to_string(scalar.integer());
        case Type::Float:
        case Type::Double:
            return displayDouble(scalar.real());
        case Type::Symbol:
        case Type::String:
        case Type::Blob:
            return std::string(scalar.string());
        case Type::Uuid:
            return uuidString(scalar.bytes16());
        case Type::IpAddr:
            return ipAddressString(scalar.bytes16());
        case Type::Int128:
            return hexadecimal(scalar.bytes16());
        case Type::Complex:
            return complexString(scalar.bytes16());
        case Type::Point:
            return pointString(scalar.bytes16());
        case Type::Decimal32:
        case Type::Decimal64:
        case Type::Decimal128:
            return decimalString(scalar);
        case Type::Duration:
            return durationString(scalar);
        case Type::Function:
            return scalar.function().describe();
        case Type::Code:
            return "< " + toSource(*scalar.as<Code>()->node) + " >";
        default:
            break;
    }
    if (scalar.hasObject()) {
        if (const auto* described = dynamic_cast<const Described*>(scalar.object())) return described->describe();
    }
    if (isTemporal(scalar.type())) {
        std::string string;
        calendar::append(string, scalar.type(), scalar.integer());
        return string;
    }
    return std::string(typeName(scalar.type()));
}

std::string itemString(const Value& scalar) {
    if (scalar.isNull() && scalar.type() != Type::Function) return "";
    if (isLiteral(scalar.type())) {
        std::string string = "\"";
        for (char c : scalar.string()) {
            if (c == '"') string += '\\';
            string += c;
        }
        return string + "\"";
    }
    if (scalar.type() == Type::Char) {
        bool printable = scalar.integer() >= 32 && scalar.integer() < 127;
        return printable ? "'" + charString(scalar) + "'" : charString(scalar);
    }
    if (scalar.type() == Type::Complex) return complexString(scalar.bytes16(), false);
    return toString(scalar);
}

}  // namespace pelorus
