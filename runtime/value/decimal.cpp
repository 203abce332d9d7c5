#include "runtime/value/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus::decimal {

namespace {

using Raw = __int128;

Raw roundedQuotient(Raw x, Raw divisor) {
    Raw quotient = x / divisor, rest = x % divisor;
    if (rest < 0) rest = -rest;
    if (rest >= divisor - rest) quotient += x < 0 ? -1 : 1;
    return quotient;
}

int digitsOf(Type type) {
    return maxScale(type);
}

// Parses the digits of a number as a scaled integer. Returns false when the string is no number.
bool parse(std::string_view string, Type to, int scale, Raw& raw) {
    const std::string_view whole = string;
    auto tooLarge = [&] {
        throw UserError(fmt::format("Can't convert STRING to {0}: parse {1} to {0} failed: decimal overflow",
                                    typeString(to, static_cast<uint8_t>(scale)), whole));
    };
    while (!string.empty() && string.front() == ' ') string.remove_prefix(1);
    while (!string.empty() && string.back() == ' ') string.remove_suffix(1);
    const bool negative = !string.empty() && string.front() == '-';
    if (negative || (!string.empty() && string.front() == '+')) string.remove_prefix(1);
    raw = 0;
    bool point = false, digits = false, roundUp = false;
    int decimals = 0;
    for (char c : string) {
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9') return false;
        digits = true;
        if (point && decimals == scale) {
            roundUp = c >= '5';
            break;
        }
        if (raw > power(37)) tooLarge();
        raw = raw * 10 + (c - '0');
        decimals += point ? 1 : 0;
    }
    if (!digits) return false;
    Raw scaled = raw;
    if (!rescale(scaled, decimals, scale)) tooLarge();
    raw = scaled + (roundUp ? 1 : 0);
    if (raw >= power(digitsOf(to))) tooLarge();
    if (negative) raw = -raw;
    return true;
}

Raw fromDouble(double x, Type to, int scale) {
    if (isNull(x) || std::isnan(x)) return null<Raw>;
    // In double precision, as clients of the family expect to the last digit: 1.1 with 18 digits
    // is 1.100000000000000128. Integers are exact.
    const double scaled = x * static_cast<double>(power(scale));
    if (std::fabs(scaled) >= 1.7e38) overflow();
    const bool isInteger = x == std::trunc(x);
    const Raw raw = isInteger ? static_cast<Raw>(x) * power(scale) : static_cast<Raw>(std::round(scaled));
    if (!fits(raw, to)) overflow();
    return raw;
}

}  // namespace

void overflow() {
    throw UserError("Decimal math overflow. RefId: S05003", "Use a wider decimal type or a smaller scale.");
}

void put(Vector& out, int64_t i, Raw raw) {
    DCHECK(isNull(raw) || fits(raw, out.type())) << "a decimal fits the width of its vector";
    char* target = out.mutableRaw() + i * out.width();
    if (out.width() == 4) {
        const int32_t x = isNull(raw) ? null<int32_t> : static_cast<int32_t>(raw);
        std::memcpy(target, &x, sizeof x);
    } else if (out.width() == 8) {
        const int64_t x = isNull(raw) ? null<int64_t> : static_cast<int64_t>(raw);
        std::memcpy(target, &x, sizeof x);
    } else {
        std::memcpy(target, &raw, sizeof raw);
    }
}

__int128 power(int n) {
    static const auto powers = [] {
        std::array<Raw, kMaxScale + 1> p{};
        p[0] = 1;
        for (size_t i = 1; i < p.size(); ++i) p[i] = p[i - 1] * 10;
        return p;
    }();
    return powers[static_cast<size_t>(n)];
}

__int128 rawOf(const Value& scalar) {
    if (scalar.isNull()) return null<Raw>;
    if (scalar.type() != Type::Decimal128) return scalar.integer();
    Raw raw;
    std::memcpy(&raw, scalar.bytes16(), sizeof raw);
    return raw;
}

double toDouble(__int128 raw, int scale) {
    if (isNull(raw)) return null<double>;
    // Both sides are exact up to 2^53 and 10^22: the quotient is then the nearest double.
    return static_cast<double>(raw) / static_cast<double>(power(scale));
}

int64_t toLong(__int128 raw, int scale) {
    if (isNull(raw) || !rescale(raw, scale, 0) || !fits(raw, Type::Decimal64)) return null<int64_t>;
    return static_cast<int64_t>(raw);
}

bool rescale(__int128& raw, int from, int to) {
    if (isNull(raw) || from == to) return true;
    if (to < from) {
        raw = from - to > kMaxScale ? 0 : roundedQuotient(raw, power(from - to));
        return true;
    }
    if (to - from > kMaxScale) return raw == 0;
    return !__builtin_mul_overflow(raw, power(to - from), &raw);
}

void dropZeros(__int128& raw, int& scale) {
    if (isNull(raw)) return;
    while (scale > 0 && raw % 10 == 0) {
        raw /= 10;
        --scale;
    }
}

bool fits(__int128 raw, Type type) {
    if (isNull(raw) || type == Type::Decimal128) return true;
    const Raw most = type == Type::Decimal32 ? Raw{INT32_MAX} : Raw{INT64_MAX};
    return raw <= most && raw >= -most;
}

Value make(Type type, __int128 raw, int scale) {
    Value result;
    if (isNull(raw)) {
        result = Value::nullOf(type);
    } else if (!fits(raw, type)) {
        overflow();
    } else {
        result =
            type == Type::Decimal128 ? Value::ofBytes16(type, &raw) : Value::scalar(type, static_cast<int64_t>(raw));
    }
    result.setExtra(static_cast<uint8_t>(scale));
    return result;
}

void write(char* target, Type type, const Value& scalar) {
    if (type == Type::Decimal128) {
        std::memcpy(target, scalar.bytes16(), 16);
        return;
    }
    const int64_t x = scalar.integer();
    std::memcpy(target, &x, static_cast<size_t>(widthOf(type)));
}

Value cast(const Value& scalar, Type to, int scale) {
    if (scalar.isNull()) return make(to, null<Raw>, scale);
    Raw raw = 0;
    if (scalar.isString()) {
        if (!parse(scalar.string(), to, scale, raw)) raw = null<Raw>;
    } else if (isFloating(scalar.type())) {
        raw = fromDouble(scalar.real(), to, scale);
    } else {
        raw = rawOf(scalar);
        if (!rescale(raw, isDecimal(scalar.type()) ? scalar.extra() : 0, scale)) overflow();
    }
    return make(to, raw, scale);
}

Ref<Vector> cast(const Vector& from, Type to, int scale) {
    Ref<Vector> out = Vector::make(to, from.size());
    out->setScale(static_cast<uint8_t>(scale));
    for (int64_t i = 0; i < from.size(); ++i) {
        if (isDecimal(from.type())) {
            Raw raw = from.rawAt(i);
            if (!rescale(raw, from.scale(), scale) || !fits(raw, to)) overflow();
            put(*out, i, raw);
        } else {
            put(*out, i, rawOf(cast(from.at(i), to, scale)));
        }
    }
    return out;
}

Ref<Vector> toPlain(const Vector& from, Type to) {
    if (isLiteral(to)) {
        Ref<Vector> out = Vector::make(to, from.size());
        for (int64_t i = 0; i < from.size(); ++i) out->setString(i, toString(from.at(i)));
        return out;
    }
    const bool real = isFloating(to) || to == Type::Bool;
    Ref<Vector> wide = Vector::make(real ? Type::Double : Type::Long, from.size());
    for (int64_t i = 0; i < from.size(); ++i) {
        if (real) {
            wide->mutableData<double>()[i] = toDouble(from.rawAt(i), from.scale());
        } else {
            wide->mutableData<int64_t>()[i] = toLong(from.rawAt(i), from.scale());
        }
    }
    return pelorus::cast(*wide, to);
}

Type wider(Type a, Type b) {
    if (!isDecimal(a)) return b;
    if (!isDecimal(b)) return a;
    return std::max(a, b);
}

Type next(Type type) {
    return type == Type::Decimal32 ? Type::Decimal64 : Type::Decimal128;
}

}  // namespace pelorus::decimal
