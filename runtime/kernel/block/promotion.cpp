#include "runtime/kernel/block/promotion.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/time/calendar.h"

namespace pelorus {

static int rank(Type type) {
    switch (type) {
        case Type::Bool:
            return 0;
        case Type::Char:
            return 1;
        case Type::Short:
            return 2;
        case Type::Int:
            return 3;
        case Type::Long:
            return 4;
        case Type::Float:
            return 5;
        default:
            return 6;
    }
}

Type widerNumber(Type a, Type b, bool arithmetic) {
    Type wider = rank(a) >= rank(b) ? a : b;
    return arithmetic && wider == Type::Bool ? Type::Int : wider;
}

Type commonType(Type a, Type b) {
    if (a == b) return a;
    if (a == Type::Void) return b;
    if (b == Type::Void) return a;
    if (isNumeric(a) && isNumeric(b)) return widerNumber(a, b, false);
    if (isDecimal(a) && isDecimal(b)) return std::max(a, b);
    if (isDecimal(a) && isNumeric(b)) return isFloating(b) ? Type::Double : a;
    if (isDecimal(b) && isNumeric(a)) return commonType(b, a);
    if ((a == Type::Complex && isNumeric(b)) || (b == Type::Complex && isNumeric(a))) return Type::Complex;
    if (isLiteral(a) && isLiteral(b)) return a == Type::Blob || b == Type::Blob ? Type::Blob : Type::String;
    return Type::Any;
}

static bool isTimeOfDay(Type type) {
    return calendar::temporalKind(type) == calendar::TemporalKind::TimeOfDay;
}

int64_t wrapOf(Type type) {
    return isTimeOfDay(type) ? calendar::unitsPerDay(type) : 0;
}

static bool isInstant(Type type) {
    return calendar::temporalKind(type) == calendar::TemporalKind::Instant;
}

static Type comparedAs(Type a, Type b) {
    if (a == b) return a;
    if (isTemporal(a) && isTemporal(b)) {
        bool comparable = (isTimeOfDay(a) && isTimeOfDay(b)) || (isInstant(a) && isInstant(b));
        if (!comparable) return Type::Void;
        return calendar::unitsPerDay(a) > calendar::unitsPerDay(b) ? a : b;
    }
    // An integer compares with the stored unit.
    if (isTemporal(a) && isNumeric(b)) return widthOf(a) == 8 ? Type::Long : widerNumber(Type::Int, b, true);
    if (isTemporal(b) && isNumeric(a)) return comparedAs(b, a);
    if (isNumeric(a) && isNumeric(b)) return widerNumber(a, b, false);
    return Type::Void;
}

[[noreturn]] static void refuse(Operator op, Type a, Type b) {
    if (isLiteral(a) || isLiteral(b)) {
        const bool joins = op == Operator::Or || op == Operator::OrIgnoringNull;
        const bool bindsTighter = op == Operator::BitAnd || op == Operator::BitOr;
        throw UserError(fmt::format("Arguments for {} method can not be string.", facts(op).function),
                        joins          ? "Strings are joined with +."
                        : bindsTighter ? "Conditions are joined with && and ||: & and | bind tighter than comparisons."
                                       : "");
    }
    if (isComparison(op) && isTemporal(a) && isTemporal(b)) {
        throw UserError("Temporal data comparison should have the same data type.",
                        fmt::format("Convert {} or {} first, as in date(x).", typeName(a), typeName(b)));
    }
    throw UserError(
        fmt::format("The operator {} does not support {} and {}.", facts(op).symbol, typeName(a), typeName(b)));
}

// Returns whether ticks add up: of a moment and a time of day of the same unit, or of two values of one type.
static bool addsUp(Type a, Type b) {
    if (a == b) return true;
    switch (a) {
        case Type::DateTime:
            return b == Type::Second;
        case Type::Timestamp:
            return b == Type::Time;
        case Type::NanoTimestamp:
            return b == Type::NanoTime;
        default:
            return false;
    }
}

BinaryPlan planBinary(Operator op, Type a, Type b) {
    if (a == Type::Void) a = b;
    if (b == Type::Void) b = a;
    if (a == Type::Void) a = b = Type::Int;
    const bool numbers = isNumeric(a) && isNumeric(b);
    if (isComparison(op)) {
        Type type = comparedAs(a, b);
        if (type == Type::Void) refuse(op, a, b);
        return {type, Type::Bool};
    }
    switch (op) {
        case Operator::And:
        case Operator::Or:
        case Operator::OrIgnoringNull:
            if (!numbers) refuse(op, a, b);
            return {Type::Bool, Type::Bool};
        case Operator::Add:
        case Operator::Sub:
            if (isTemporal(a) && isTemporal(b)) {
                if (op == Operator::Add && addsUp(a, b)) {
                    const Type ticks = widthOf(a) == 8 ? Type::Long : Type::Int;
                    return {ticks, a, isTimeOfDay(a) ? wrapOf(a) : 0};
                }
                if (op == Operator::Add || a != b) refuse(op, a, b);
                Type count = widthOf(a) == 8 ? Type::Long : Type::Int;
                return {count, count};
            }
            if (isTemporal(a) && isNumeric(b)) {
                return {widthOf(a) == 8 ? Type::Long : Type::Int, a, wrapOf(a)};
            }
            if (isTemporal(b) && isNumeric(a) && op == Operator::Add) return planBinary(op, b, a);
            break;
        case Operator::BitAnd:
        case Operator::BitOr:
        case Operator::BitXor:
        case Operator::ShiftLeft:
        case Operator::ShiftRight:
            if (!numbers || isFloating(a) || isFloating(b)) refuse(op, a, b);
            return {widerNumber(a, b, true), widerNumber(a, b, true)};
        case Operator::Ratio:
            if (!numbers) refuse(op, a, b);
            return {Type::Double, Type::Double};
        case Operator::Mul:
        case Operator::Div:
        case Operator::Mod:
            // A temporal counts as its stored integer here.
            if (isTemporal(a) && isNumeric(b)) return planBinary(op, widthOf(a) == 8 ? Type::Long : Type::Int, b);
            break;
        default:
            break;
    }
    if (!numbers) refuse(op, a, b);
    Type wider = widerNumber(a, b, true);
    return {wider, wider};
}

}  // namespace pelorus
