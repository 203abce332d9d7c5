// Operators on two scalars of INT, LONG and DOUBLE, inline: the hot path of loops in scripts. The rules for NULL and
// overflow are those of the block kernels.
#pragma once

#include <cmath>
#include <type_traits>

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

template <class T>
bool compareScalars(Operator op, T a, T b) {
    switch (op) {
        case Operator::Lt:
            return a < b;
        case Operator::Le:
            return a <= b;
        case Operator::Eq:
            return a == b;
        case Operator::Gt:
            return a > b;
        case Operator::Ge:
            return a >= b;
        default:
            return a != b;
    }
}

// Divides towards minus infinity; the remainder has the divisor's sign. REQUIRES: b is neither 0 nor -1.
template <class T>
T floorDivide(T a, T b, T& remainder) {
    T q = a / b;
    remainder = a % b;
    if (remainder != 0 && ((remainder < 0) != (b < 0))) {
        --q;
        remainder += b;
    }
    return q;
}

// Returns false when the operator does not apply to integers. Inline, so that a known operator leaves no branch.
template <class T>
[[gnu::always_inline]] inline bool integerScalar(Operator op, Type type, T a, T b, Value& result) {
    using U = std::make_unsigned_t<T>;
    constexpr U kShiftMask = sizeof(T) * 8 - 1;
    bool nulls = isNull(a) || isNull(b);
    T r;
    switch (op) {
        case Operator::Add:
            r = static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
            break;
        case Operator::Sub:
            r = static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
            break;
        case Operator::Mul:
            r = static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
            break;
        case Operator::BitAnd:
            r = a & b;
            break;
        case Operator::BitOr:
            r = a | b;
            break;
        case Operator::BitXor:
            r = a ^ b;
            break;
        case Operator::ShiftLeft:
            r = static_cast<T>(static_cast<U>(a) << (static_cast<U>(b) & kShiftMask));
            break;
        case Operator::ShiftRight:
            r = static_cast<T>(static_cast<U>(a) >> (static_cast<U>(b) & kShiftMask));
            break;
        case Operator::Div:
        case Operator::Mod: {
            nulls = nulls || b == 0;
            if (nulls) break;
            if (b == -1) {
                r = op == Operator::Div ? static_cast<T>(U(0) - static_cast<U>(a)) : T(0);
                break;
            }
            T m;
            T q = floorDivide(a, b, m);
            r = op == Operator::Div ? q : m;
            break;
        }
        default:
            if (!isComparison(op)) return false;
            result.assignScalar(Type::Bool, compareScalars(op, a, b));
            return true;
    }
    result.assignScalar(type, nulls ? null<T> : r);
    return true;
}

[[gnu::always_inline]] inline bool doubleScalar(Operator op, double a, double b, Value& result) {
    double r;
    switch (op) {
        case Operator::Add:
            r = a + b;
            break;
        case Operator::Sub:
            r = a - b;
            break;
        case Operator::Mul:
            r = a * b;
            break;
        case Operator::Div:
        case Operator::Ratio:
            if (b == 0) {
                result.assignScalar(null<double>);
                return true;
            }
            r = a / b;
            break;
        default:
            if (!isComparison(op)) return false;
            result.assignScalar(Type::Bool, compareScalars(op, a, b));
            return true;
    }
    bool bad = isNull(a) || isNull(b) || (!std::isfinite(r) && std::isfinite(a) && std::isfinite(b));
    result.assignScalar(bad ? null<double> : r);
    return true;
}

inline double doubleOf(Type type, const Value& v) {
    if (type == Type::Double) return v.real();
    bool isNullElement = type == Type::Int ? v.integer() == null<int32_t> : v.integer() == null<int64_t>;
    return isNullElement ? null<double> : static_cast<double>(v.integer());
}

inline int64_t longOf(Type type, const Value& v) {
    return type == Type::Int && v.integer() == null<int32_t> ? null<int64_t> : v.integer();
}

// Computes x op y for scalars of INT, LONG and DOUBLE; returns false, having done nothing, for everything else.
// `result` may be one of them.
[[gnu::always_inline]] inline bool applyFastScalar(Operator op, const Value& a, const Value& b, Value& result) {
    constexpr uint64_t kInt = scalarTag(Type::Int), kLong = scalarTag(Type::Long), kDouble = scalarTag(Type::Double);
    uint64_t ta = a.tagWord(), tb = b.tagWord();
    if (op == Operator::Ratio && ta != kDouble && tb != kDouble) {
        bool integers = (ta == kInt || ta == kLong) && (tb == kInt || tb == kLong);
        return integers && doubleScalar(op, doubleOf(a.type(), a), doubleOf(b.type(), b), result);
    }
    if (ta == kInt && tb == kInt) {
        return integerScalar(op, Type::Int, static_cast<int32_t>(a.integer()), static_cast<int32_t>(b.integer()),
                             result);
    }
    bool integerA = ta == kInt || ta == kLong, integerB = tb == kInt || tb == kLong;
    if (integerA && integerB) return integerScalar(op, Type::Long, longOf(a.type(), a), longOf(b.type(), b), result);
    if ((integerA || ta == kDouble) && (integerB || tb == kDouble)) {
        return doubleScalar(op, doubleOf(a.type(), a), doubleOf(b.type(), b), result);
    }
    return false;
}

}  // namespace pelorus
