#include "runtime/kernel/elementwise/wide_operators.h"

#include <fmt/format.h>

#include <complex>
#include <cstring>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

using Complex = std::complex<double>;

[[noreturn]] void refuse(Operator op, Type a, Type b) {
    throw UserError(
        fmt::format("The operator {} does not support {} and {}.", facts(op).symbol, typeName(a), typeName(b)));
}

bool isWide(Type type) {
    return categoryOf(type) == Category::Binary || categoryOf(type) == Category::Complex;
}

// Compares from the most significant byte, since bytes are stored in little-endian order.
int compareBytes(const uint8_t* a, const uint8_t* b) {
    for (int i = 15; i >= 0; --i) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

bool holds(Operator op, int order) {
    switch (op) {
        case Operator::Lt:
            return order < 0;
        case Operator::Le:
            return order <= 0;
        case Operator::Gt:
            return order > 0;
        case Operator::Ge:
            return order >= 0;
        case Operator::Ne:
            return order != 0;
        default:
            return order == 0;
    }
}

Complex complexOf(const Value& v) {
    if (v.type() != Type::Complex) return Complex(v.asDouble(), 0);
    double parts[2];
    std::memcpy(parts, v.bytes16(), sizeof parts);
    return Complex(parts[0], parts[1]);
}

Value ofComplex(Complex z) {
    const double parts[2] = {z.real(), z.imag()};
    if (!std::isfinite(parts[0]) || !std::isfinite(parts[1])) return Value::nullOf(Type::Complex);
    return Value::ofBytes16(Type::Complex, parts);
}

Value computeComplex(Operator op, const Value& a, const Value& b) {
    if (a.isNull() || b.isNull()) return Value::nullOf(Type::Complex);
    const Complex x = complexOf(a), y = complexOf(b);
    switch (op) {
        case Operator::Add:
            return ofComplex(x + y);
        case Operator::Sub:
            return ofComplex(x - y);
        case Operator::Mul:
            return ofComplex(x * y);
        case Operator::Div:
        case Operator::Ratio:
            return ofComplex(x / y);
        default:
            refuse(op, a.type(), b.type());
    }
}

Value one(Operator op, Type type, const Value& a, const Value& b) {
    if (op == Operator::Eq || op == Operator::Ne) {
        if (type == Type::Complex) return Value::ofBool((complexOf(a) == complexOf(b)) == (op == Operator::Eq));
        return Value::ofBool(identical(a, b) == (op == Operator::Eq));
    }
    if (type == Type::Complex) return computeComplex(op, a, b);
    if (type == Type::Point || op < Operator::Lt || op > Operator::Ne) refuse(op, a.type(), b.type());
    return Value::ofBool(holds(op, compareBytes(a.bytes16(), b.bytes16())));
}

}  // namespace

Value wideOperation(Operator op, const Value& a, const Value& b) {
    const Type type = isWide(a.type()) ? a.type() : b.type();
    CHECK(isWide(type)) << "one side of an operation on 16 bytes has such a type";
    // The check does not depend on the values: an empty vector and NULL have no more operations than others.
    const bool isEquality = op == Operator::Eq || op == Operator::Ne;
    const bool isOrdered = type != Type::Complex && type != Type::Point;
    const bool isArithmetic = op == Operator::Add || op == Operator::Sub || op == Operator::Mul ||
                              op == Operator::Div || op == Operator::Ratio;
    if (!isEquality && !(isOrdered && isComparison(op)) && !(type == Type::Complex && isArithmetic)) {
        refuse(op, a.type(), b.type());
    }
    auto fitted = [&](const Value& v) {
        const bool number = type == Type::Complex && isNumeric(v.type());
        if (v.type() == type || number) return v;
        if (!v.isVoid() && !isLiteral(v.type())) refuse(op, a.type(), b.type());
        return cast(v, type);
    };
    const Value x = fitted(a), y = fitted(b);
    if (x.isScalar() && y.isScalar()) return one(op, type, x, y);
    if (!x.isScalar() && !y.isScalar() && x.size() != y.size()) {
        throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", x.size(), y.size()));
    }
    const int64_t count = x.isScalar() ? y.size() : x.size();
    const bool comparison = op >= Operator::Lt && op <= Operator::Ne;
    Ref<Vector> out = Vector::make(comparison ? Type::Bool : type, count);
    for (int64_t i = 0; i < count; ++i) {
        out->set(i, one(op, type, x.isScalar() ? x : x.at(i), y.isScalar() ? y : y.at(i)));
    }
    return Value::of(out);
}

}  // namespace pelorus
