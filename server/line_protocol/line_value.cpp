#include "server/line_protocol/line_value.h"

#include <bit>
#include <cmath>

namespace pelorus {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr int64_t kNanosPerMilli = 1'000'000;

std::optional<int64_t> integerOf(const LineValue& value) {
    if (value.kind == LineKind::Long) return value.bits;
    if (value.kind != LineKind::Double) return std::nullopt;
    const double x = std::bit_cast<double>(value.bits);
    if (x != std::floor(x) || x < -kTwoTo63 || x >= kTwoTo63) return std::nullopt;
    return static_cast<int64_t>(x);
}

std::optional<double> realOf(const LineValue& value) {
    if (value.kind == LineKind::Double) return std::bit_cast<double>(value.bits);
    if (value.kind != LineKind::Long) return std::nullopt;
    const auto x = static_cast<double>(value.bits);
    if (x >= kTwoTo63 || static_cast<int64_t>(x) != value.bits) return std::nullopt;
    return x;
}

// The minimum of a type is its NULL.
template <class T>
std::optional<int64_t> narrow(std::optional<int64_t> x) {
    if (!x || *x <= std::numeric_limits<T>::min() || *x > std::numeric_limits<T>::max()) return std::nullopt;
    return x;
}

}  // namespace

Type columnTypeOf(LineKind kind) {
    switch (kind) {
        case LineKind::Long:
            return Type::Long;
        case LineKind::Double:
            return Type::Double;
        case LineKind::Bool:
            return Type::Bool;
        case LineKind::String:
            return Type::String;
        case LineKind::Time:
            return Type::NanoTimestamp;
        case LineKind::Array:
            return arrayTypeOf(Type::Double);
    }
    return Type::Void;
}

std::string_view nameOf(LineKind kind) {
    switch (kind) {
        case LineKind::Long:
            return "LONG";
        case LineKind::Double:
            return "DOUBLE";
        case LineKind::Bool:
            return "BOOL";
        case LineKind::String:
            return "STRING";
        case LineKind::Time:
            return "NANOTIMESTAMP";
        case LineKind::Array:
            return "DOUBLE[]";
    }
    return "";
}

std::optional<int64_t> convertExactly(const LineValue& value, Type to) {
    const bool isNothing = value.kind == LineKind::Double && isNull(std::bit_cast<double>(value.bits));
    switch (to) {
        case Type::Char:
            return isNothing ? null<int8_t> : narrow<int8_t>(integerOf(value));
        case Type::Short:
            return isNothing ? null<int16_t> : narrow<int16_t>(integerOf(value));
        case Type::Int:
            return isNothing ? null<int32_t> : narrow<int32_t>(integerOf(value));
        case Type::Long:
            return isNothing ? null<int64_t> : narrow<int64_t>(integerOf(value));
        case Type::Float: {
            if (isNothing) return value.bits;
            const std::optional<double> x = realOf(value);
            if (!x || std::abs(*x) >= static_cast<double>(std::numeric_limits<float>::max())) return std::nullopt;
            if (static_cast<double>(static_cast<float>(*x)) != *x) return std::nullopt;
            return std::bit_cast<int64_t>(*x);
        }
        case Type::Double: {
            const std::optional<double> x = realOf(value);
            return x ? std::optional(std::bit_cast<int64_t>(*x)) : std::nullopt;
        }
        case Type::NanoTimestamp:
            return value.kind == LineKind::Time ? std::optional(value.bits) : std::nullopt;
        case Type::Timestamp:
            if (value.kind != LineKind::Time || value.bits % kNanosPerMilli != 0) return std::nullopt;
            return value.bits / kNanosPerMilli;
        default:
            return std::nullopt;
    }
}

}  // namespace pelorus
