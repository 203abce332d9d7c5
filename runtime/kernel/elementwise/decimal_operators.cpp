#include "runtime/kernel/elementwise/decimal_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/error.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/cast.h"
#include "runtime/value/decimal.h"

namespace pelorus::decimal {

namespace {

using Raw = __int128;

// An operand of an elementwise operation.
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

// Computes one element of the result at `scale`; returns false when it does not fit 128 bits.
bool compute(Operator op, Raw a, int scaleA, Raw b, int scaleB, int scale, Raw& out) {
    out = null<Raw>;
    if (isNull(a) || isNull(b)) return true;
    switch (op) {
        case Operator::Add:
        case Operator::Sub:
            if (!rescale(a, scaleA, scale) || !rescale(b, scaleB, scale)) return false;
            return op == Operator::Add ? !__builtin_add_overflow(a, b, &out) : !__builtin_sub_overflow(a, b, &out);
        case Operator::Mul:
            return !__builtin_mul_overflow(a, b, &out);  // the scale is the sum of both
        case Operator::Div: {
            if (b == 0) return true;
            // Computes a / b at the scale of a, truncated.
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

}  // namespace

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
        auto* elements = out->mutableData<int8_t>();
        for (int64_t i = 0; i < count; ++i) elements[i] = holds(op, compareRaw(x.at(i), x.scale(), y.at(i), y.scale()));
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
    std::vector<Raw> elements(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
        Raw& raw = elements[static_cast<size_t>(i)];
        if (!compute(op, x.at(i), x.scale(), y.at(i), y.scale(), scale, raw)) overflow();
        // The whole product must fit, also where fewer decimals are asked for.
        while (!fits(raw, type)) type = next(type);
        if (op == Operator::Mul && !isNull(raw)) raw /= power(x.scale() + y.scale() - scale);
    }
    if (scalar) return make(type, elements[0], scale);
    Ref<Vector> out = Vector::make(type, count);
    out->setScale(static_cast<uint8_t>(scale));
    for (int64_t i = 0; i < count; ++i) put(*out, i, elements[static_cast<size_t>(i)]);
    return Value::of(out);
}

}  // namespace pelorus::decimal
