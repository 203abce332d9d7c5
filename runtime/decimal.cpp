#include "runtime/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/error.h"
#include "runtime/format/print.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/comparison.h"
#include "runtime/kernel/operators.h"

namespace pelorus::decimal {

namespace {

using Raw = __int128;

[[noreturn]] void overflow() {
    throw UserError("Decimal math overflow. RefId: S05003", "Use a wider decimal type or a smaller scale.");
}

Raw roundedQuotient(Raw x, Raw divisor) {
    Raw quotient = x / divisor, rest = x % divisor;
    if (rest < 0) rest = -rest;
    if (rest >= divisor - rest) quotient += x < 0 ? -1 : 1;
    return quotient;
}

int digitsOf(Type type) {
    return maxScale(type);
}

// The digits of a number as a scaled integer. False when the text is no number.
bool parse(std::string_view text, Type to, int scale, Raw& raw) {
    const std::string_view whole = text;
    auto tooLarge = [&] {
        throw UserError(fmt::format("Can't convert STRING to {0}: parse {1} to {0} failed: decimal overflow",
                                    typeText(to, static_cast<uint8_t>(scale)), whole));
    };
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    const bool negative = !text.empty() && text.front() == '-';
    if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
    raw = 0;
    bool point = false, digits = false, roundUp = false;
    int decimals = 0;
    for (char c : text) {
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
    const auto scaled = static_cast<long double>(x) * static_cast<long double>(power(scale));
    if (std::fabs(scaled) >= 1.7e38L) overflow();
    const Raw raw = static_cast<Raw>(std::round(scaled));
    if (!fits(raw, to)) overflow();
    return raw;
}

// The operands of an operation item by item.
class Operand {
public:
    explicit Operand(const Value& v) : vector_(v.isScalar() ? nullptr : &v.vector()), scale_(v.extra()) {
        if (!vector_) raw_ = v.isNull() ? null<Raw> : rawOf(v);
        decimal_ = isDecimal(v.type());
        if (!decimal_) scale_ = 0;
    }
    Raw at(int64_t i) const {
        if (!vector_) return raw_;
        if (decimal_) return vector_->rawAt(i);
        const int64_t x = vector_->asLong(i);
        return isNull(x) ? null<Raw> : Raw{x};
    }
    int scale() const { return scale_; }

private:
    const Vector* vector_;
    Raw raw_ = 0;
    int scale_;
    bool decimal_;
};

int compareRaw(Raw a, int scaleA, Raw b, int scaleB) {
    if (isNull(a) || isNull(b)) return isNull(a) ? (isNull(b) ? 0 : -1) : 1;
    const int scale = std::max(scaleA, scaleB);
    Raw x = a, y = b;
    if (rescale(x, scaleA, scale) && rescale(y, scaleB, scale)) return x < y ? -1 : x > y ? 1 : 0;
    const double p = toDouble(a, scaleA), q = toDouble(b, scaleB);
    return p < q ? -1 : p > q ? 1 : 0;
}

// One item of the result at `scale`; false when it has no room in 128 bits.
bool compute(Operator op, Raw a, int scaleA, Raw b, int scaleB, int scale, Raw& out) {
    out = null<Raw>;
    if (isNull(a) || isNull(b)) return true;
    switch (op) {
        case Operator::Add:
        case Operator::Sub:
            if (!rescale(a, scaleA, scale) || !rescale(b, scaleB, scale)) return false;
            return op == Operator::Add ? !__builtin_add_overflow(a, b, &out) : !__builtin_sub_overflow(a, b, &out);
        case Operator::Mul:
            return !__builtin_mul_overflow(a, b, &out);  // at the scale of both together
        case Operator::Div: {
            if (b == 0) return true;
            // a / b at the scale of a, cut.
            Raw dividend = a;
            if (!rescale(dividend, 0, std::max(0, scale - scaleA + scaleB))) return false;
            out = dividend / b;
            return true;
        }
        default: {  // Mod
            if (b == 0) return true;
            if (!rescale(a, scaleA, scale) || !rescale(b, scaleB, scale)) return false;
            out = a % b;
            if (out != 0 && ((out < 0) != (b < 0))) out += b;
            return true;
        }
    }
}

int resultScale(Operator op, int a, int b) {
    switch (op) {
        case Operator::Mul:
            return a + b;
        case Operator::Div:
            return a;
        default:
            return std::max(a, b);
    }
}

Value asDoubles(const Value& v) {
    return pelorus::cast(v, Type::Double);
}

void put(Vector& out, int64_t i, Raw raw) {
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

}  // namespace

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
    if (scalar.isText()) {
        if (!parse(scalar.text(), to, scale, raw)) raw = null<Raw>;
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
        for (int64_t i = 0; i < from.size(); ++i) out->setText(i, scalarText(from.at(i)));
        return out;
    }
    const bool real = isFloating(to) || to == Type::Bool;
    Ref<Vector> wide = Vector::make(real ? Type::Double : Type::Long, from.size());
    for (int64_t i = 0; i < from.size(); ++i) {
        if (real) {
            wide->mutableItems<double>()[i] = toDouble(from.rawAt(i), from.scale());
        } else {
            wide->mutableItems<int64_t>()[i] = toLong(from.rawAt(i), from.scale());
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

Value operation(Operator op, const Value& a, const Value& b, int scale) {
    auto fitting = [](Type type) { return isDecimal(type) || isNumeric(type) || type == Type::Void; };
    if (!fitting(a.type()) || !fitting(b.type())) {
        if (isLiteral(a.type()) || isLiteral(b.type())) {
            throw UserError(fmt::format("Arguments for {} method can not be string.", facts(op).function));
        }
        throw UserError(fmt::format("The operator {} does not support {} and {}.", facts(op).symbol, typeName(a.type()),
                                    typeName(b.type())));
    }
    if (isFloating(a.type()) || isFloating(b.type()) || op == Operator::Ratio || op == Operator::And || isOr(op)) {
        return applyBinary(op, asDoubles(a), asDoubles(b));
    }
    const bool known = isComparison(op) || op == Operator::Add || op == Operator::Sub || op == Operator::Mul ||
                       op == Operator::Div || op == Operator::Mod;
    if (!known) {
        throw UserError(fmt::format("The operator {} does not support {} and {}.", facts(op).symbol, typeName(a.type()),
                                    typeName(b.type())));
    }
    const bool scalar = a.isScalar() && b.isScalar();
    const int64_t count = a.isScalar() ? b.size() : a.size();
    if (!a.isScalar() && !b.isScalar() && a.size() != b.size()) {
        throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", a.size(), b.size()));
    }
    const Operand x(a), y(b);
    if (isComparison(op)) {
        Ref<Vector> out = Vector::make(Type::Bool, count);
        auto* items = out->mutableItems<int8_t>();
        for (int64_t i = 0; i < count; ++i) items[i] = holds(op, compareRaw(x.at(i), x.scale(), y.at(i), y.scale()));
        return scalar ? out->at(0) : Value::of(out);
    }
    if (scale < 0) scale = resultScale(op, x.scale(), y.scale());
    if (scale > kMaxScale) {
        throw UserError(
            fmt::format("Scale out of bound (valid range: [0, {}], but get: {}). RefId: S05010", kMaxScale, scale),
            "Use decimalMultiply to choose the scale.");
    }
    Type type = wider(a.type(), b.type());
    while (scale > maxScale(type)) type = next(type);
    std::vector<Raw> items(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        Raw& raw = items[static_cast<size_t>(i)];
        if (!compute(op, x.at(i), x.scale(), y.at(i), y.scale(), scale, raw)) overflow();
        // The whole product counts, also where fewer decimals are asked for.
        while (!fits(raw, type)) type = next(type);
        if (op == Operator::Mul && !isNull(raw)) raw /= power(x.scale() + y.scale() - scale);
    }
    if (scalar) return make(type, items[0], scale);
    Ref<Vector> out = Vector::make(type, count);
    out->setScale(static_cast<uint8_t>(scale));
    for (int64_t i = 0; i < count; ++i) put(*out, i, items[static_cast<size_t>(i)]);
    return Value::of(out);
}

}  // namespace pelorus::decimal
