#include "postgres/translate/operator_calls.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "common/time/calendar.h"
#include "postgres/functions/conversions.h"
#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

NodeRef number(int64_t x) {
    return constantNode(Value::ofInt(static_cast<int32_t>(x)));
}

NodeRef truth(bool x) {
    return constantNode(Value::ofBool(x));
}

Typed call(const char* function, NodeList arguments, Oid type, int place, bool isNullable = true) {
    Typed result = typedCode(callNode(function, std::move(arguments)), type, -1, place);
    result.isNullable = isNullable;
    return result;
}

// Both sides as one type of numbers.
struct Numbers {
    Oid type;
    Typed left, right;
};

bool isNumberLike(const Typed& x) {
    return isNumberType(x.type) || x.isUnknown();
}

std::optional<Numbers> asNumbers(Typed left, Typed right, const ConversionHost& host) {
    if (!isNumberLike(left) || !isNumberLike(right) || (left.isUnknown() && right.isUnknown())) return {};
    const Oid type = commonType(left.type, right.type);
    if (type == 0) return {};
    left = convert(std::move(left), type, -1, Conversion::Implicit, host);
    right = convert(std::move(right), type, -1, Conversion::Implicit, host);
    return Numbers{type, std::move(left), std::move(right)};
}

constexpr int kMaxScale = 38;
// The digits behind the point of a quotient: PostgreSQL's depend on the values.
constexpr int kQuotientScale = 16;

Typed numericOperation(char op, const Numbers& numbers, int place) {
    const int a = numbers.left.scale, b = numbers.right.scale;
    const bool isNullable = numbers.left.isNullable || numbers.right.isNullable;
    const char* function = op == '+'   ? "pgNumericAdd"
                           : op == '-' ? "pgNumericSubtract"
                           : op == '*' ? "pgNumericMultiply"
                           : op == '/' ? "pgNumericDivide"
                                       : "pgNumericModulo";
    const int scale = std::min(kMaxScale, op == '*'   ? a + b
                                          : op == '/' ? std::max({kQuotientScale, a, b})
                                                      : std::max(a, b));
    const int32_t modifier = op == '/' ? -1 : jointModifier(numbers.left.modifier, numbers.right.modifier);
    Typed result = typedNumeric(callNode(function, {numbers.left.code, numbers.right.code, number(scale)}), scale,
                                place, modifier == kOwnScales ? modifier : -1);
    result.isNullable = isNullable;
    return result;
}

Typed arithmetic(char op, const Numbers& numbers, int place) {
    const bool isNullable = numbers.left.isNullable || numbers.right.isNullable;
    if (numbers.type == oid::kNumeric) return numericOperation(op, numbers, place);
    if (isFloatType(numbers.type)) {
        if (op == '%') refuseOperator("%", &numbers.left, numbers.right, place);
        if (op == '/') {
            Typed quotient =
                call("pgDoubleDivide", {numbers.left.code, numbers.right.code}, oid::kFloat8, place, isNullable);
            if (numbers.type == oid::kFloat8) return quotient;
            return call("float", {quotient.code}, oid::kFloat4, place, isNullable);
        }
        const Operator native = op == '+' ? Operator::Add : op == '-' ? Operator::Sub : Operator::Mul;
        Typed result = typedCode(binaryNode(native, numbers.left.code, numbers.right.code), numbers.type, -1, place);
        result.isNullable = isNullable;
        return result;
    }
    const std::string prefix = numbers.type == oid::kInt2 ? "pgShort" : numbers.type == oid::kInt4 ? "pgInt" : "pgLong";
    const char* name = op == '+'   ? "Add"
                       : op == '-' ? "Subtract"
                       : op == '*' ? "Multiply"
                       : op == '/' ? "Divide"
                                   : "Modulo";
    Typed result = typedCode(callNode(prefix + name, {numbers.left.code, numbers.right.code}), numbers.type, -1, place);
    result.isNullable = isNullable;
    return result;
}

// An operation with a time on one side; nothing where the types have none.
std::optional<Typed> timeOperation(char op, Typed left, Typed right, int place, const ConversionHost& host) {
    const auto toInterval = [&](Typed x) {
        return convert(std::move(x), oid::kInterval, -1, Conversion::Explicit, host);
    };
    const bool isLeftInstant = isInstantType(left.type), isRightInstant = isInstantType(right.type);
    if (op == '+' && !isLeftInstant &&
        (isRightInstant ||
         (right.type == oid::kInterval && left.type != oid::kInterval && !left.isUnknown() && left.type == oid::kInt4)))
        return timeOperation(op, std::move(right), std::move(left), place, host);
    if (op == '+' && right.type == oid::kTime && left.type == oid::kInterval) std::swap(left, right);
    if (left.type == oid::kDate && isIntegerType(right.type) && (op == '+' || op == '-'))
        return call(op == '+' ? "pgDayAdd" : "pgDaySubtract", {left.code, right.code}, oid::kDate, place);
    if (isLeftInstant && op == '-' && (isRightInstant || right.isUnknown())) {
        if (right.isUnknown()) right = convert(std::move(right), left.type, -1, Conversion::Implicit, host);
        if (left.type == oid::kDate && right.type == oid::kDate)
            return call("pgDaysBetween", {left.code, right.code}, oid::kInt4, place);
        return call("pgTimeBetween", {left.code, right.code}, oid::kInterval, place);
    }
    if (isLeftInstant && (op == '+' || op == '-') &&
        (right.type == oid::kInterval || right.isUnknown() || right.type == oid::kTime))
        return call(op == '+' ? "pgTimeAdd" : "pgTimeSubtract", {left.code, toInterval(right).code},
                    left.type == oid::kTimestamptz ? oid::kTimestamptz : oid::kTimestamp, place);
    if (left.isUnknown() && isRightInstant && op == '-')
        return timeOperation(op, convert(std::move(left), right.type, -1, Conversion::Implicit, host), std::move(right),
                             place, host);
    if (left.type == oid::kTime && op == '-' && right.type == oid::kTime)
        return call("pgTimeBetween", {left.code, right.code}, oid::kInterval, place);
    if (left.type == oid::kTime && (op == '+' || op == '-') && (right.type == oid::kInterval || right.isUnknown()))
        return call(op == '+' ? "pgClockAdd" : "pgClockSubtract", {left.code, toInterval(right).code}, oid::kTime,
                    place);
    if ((left.type == oid::kInterval || right.type == oid::kInterval) && (op == '+' || op == '-') &&
        (left.type == oid::kInterval || left.isUnknown()) && (right.type == oid::kInterval || right.isUnknown()))
        return call(op == '+' ? "pgIntervalAdd" : "pgIntervalSubtract", {toInterval(left).code, toInterval(right).code},
                    oid::kInterval, place);
    if (op == '*' && left.type == oid::kInterval && isNumberLike(right))
        return call("pgIntervalMultiply",
                    {left.code, convert(std::move(right), oid::kFloat8, -1, Conversion::Explicit, host).code},
                    oid::kInterval, place);
    if (op == '*' && right.type == oid::kInterval && isNumberLike(left))
        return timeOperation(op, std::move(right), std::move(left), place, host);
    if (op == '/' && left.type == oid::kInterval && isNumberLike(right)) {
        const Typed divisor = convert(std::move(right), oid::kFloat8, -1, Conversion::Explicit, host);
        return call("pgIntervalMultiply",
                    {left.code, callNode("pgDoubleDivide", {constantNode(Value::ofDouble(1)), divisor.code})},
                    oid::kInterval, place);
    }
    return {};
}

// A literal next to a column of times in the column's own unit, so that partitions are found by it.
Typed inUnitOf(Typed literal, const Typed& column) {
    if (!literal.constant || literal.isNullConstant() || literal.kept == column.kept || !isTemporal(column.kept))
        return literal;
    const Value& value = *literal.constant;
    const int64_t nanos = nanosOf(value);
    if (nanos == INT64_MIN) return literal;
    const int64_t stored = calendar::convert(nanos, Type::NanoTimestamp, column.kept);
    if (calendar::convert(stored, column.kept, Type::NanoTimestamp) != nanos) return literal;
    const Oid type = literal.type;
    literal = typedConstant(Value::scalar(column.kept, stored), type);
    return literal;
}

bool isEmptyText(const Typed& x) {
    return x.constant && x.constant->isString() && !x.constant->isNull() && textOfValue(*x.constant).empty();
}

// The keys by which a type is compared when its kept values do not compare by themselves.
NodeRef comparedCode(const Typed& x) {
    return x.type == oid::kInterval ? callNode("pgIntervalOrder", {x.code}) : x.code;
}

Operator mirrored(Operator op) {
    switch (op) {
        case Operator::Eq:
            return Operator::Ne;
        case Operator::Ne:
            return Operator::Eq;
        case Operator::Lt:
            return Operator::Ge;
        case Operator::Le:
            return Operator::Gt;
        case Operator::Gt:
            return Operator::Le;
        default:
            return Operator::Lt;
    }
}

}  // namespace

bool isComparisonName(std::string_view name) {
    return name == "=" || name == "<>" || name == "!=" || name == "<" || name == "<=" || name == ">" || name == ">=";
}

void refuseOperator(std::string_view name, const Typed* left, const Typed& right, int place) {
    const std::string shown = left == nullptr ? fmt::format("{} {}", name, displayOf(right))
                                              : fmt::format("{} {} {}", displayOf(*left), name, displayOf(right));
    throw SqlError(sql_state::kUndefinedFunction, "operator does not exist: " + shown, place,
                   "No operator matches the given name and argument types. You might need to add explicit type casts.");
}

Comparison resolveComparison(std::string_view name, Typed left, Typed right, int place, const ConversionHost& host) {
    Comparison comparison;
    comparison.op = name == "="    ? Operator::Eq
                    : name == "<"  ? Operator::Lt
                    : name == "<=" ? Operator::Le
                    : name == ">"  ? Operator::Gt
                    : name == ">=" ? Operator::Ge
                                   : Operator::Ne;
    const bool isEmptyNull[] = {left.isEmptyNull, right.isEmptyNull};
    Oid type = commonType(left.type, right.type);
    if (type == oid::kUnknown) type = oid::kText;
    if (type == 0 && isOidType(left.type) && isIntegerType(right.type)) type = oid::kInt8;
    if (type == 0) refuseOperator(name, &left, right, place);
    if (type == oid::kJson) refuseOperator(name, &left, right, place);
    const bool isLeftOpen = left.isUnknown(), isRightOpen = right.isUnknown();
    // Numbers of the engine compare whatever their types; only what is no value yet is converted.
    const bool areNumbers = isNumberType(left.type) && isNumberType(right.type);
    if (isLeftOpen || (!areNumbers && left.type != type))
        left = convert(std::move(left), isLeftOpen ? (right.isUnknown() ? type : right.type) : type, -1,
                       Conversion::Implicit, host);
    if (isRightOpen || (!areNumbers && right.type != type))
        right = convert(std::move(right), isRightOpen ? left.type : type, -1, Conversion::Implicit, host);
    // An exact number next to a float is one.
    if (areNumbers && (isFloatType(left.type) != isFloatType(right.type))) {
        if (left.type == oid::kNumeric) left = convert(std::move(left), oid::kFloat8, -1, Conversion::Explicit, host);
        if (right.type == oid::kNumeric)
            right = convert(std::move(right), oid::kFloat8, -1, Conversion::Explicit, host);
    }
    if (isInstantType(left.type) && isInstantType(right.type)) {
        left = inUnitOf(std::move(left), right);
        right = inUnitOf(std::move(right), left);
    }
    comparison.left = std::move(left);
    comparison.right = std::move(right);
    comparison.left.isEmptyNull = isEmptyNull[0];
    comparison.right.isEmptyNull = isEmptyNull[1];
    return comparison;
}

NodeRef comparisonIs(const Comparison& comparison, bool wanted) {
    const Operator op = wanted ? comparison.op : mirrored(comparison.op);
    const Typed &a = comparison.left, &b = comparison.right;
    if (a.isNullConstant() || b.isNullConstant()) return truth(false);
    // Where '' is NULL in a column, NULL is equal to ''.
    if (isEmptyText(b) && a.isEmptyNull && op == Operator::Eq)
        return binaryNode(Operator::Or, isNullNode(a.code), binaryNode(Operator::Eq, a.code, b.code));
    if (isEmptyText(a) && b.isEmptyNull && op == Operator::Eq)
        return binaryNode(Operator::Or, isNullNode(b.code), binaryNode(Operator::Eq, b.code, a.code));
    NodeRef code = binaryNode(op, comparedCode(a), comparedCode(b));
    // NULL is the smallest value to the engine, and equal to itself.
    const bool leftPasses =
        op == Operator::Lt || op == Operator::Le || op == Operator::Ne || (op == Operator::Eq && b.isNullable);
    const bool rightPasses = op == Operator::Gt || op == Operator::Ge || op == Operator::Ne;
    if (leftPasses && a.isNullable) code = binaryNode(Operator::And, isValidNode(a.code), std::move(code));
    if (rightPasses && b.isNullable) code = binaryNode(Operator::And, isValidNode(b.code), std::move(code));
    return code;
}

Typed comparisonValue(const Comparison& comparison, int place) {
    const Typed &a = comparison.left, &b = comparison.right;
    if (a.isNullConstant() || b.isNullConstant()) return typedConstant(Value(), oid::kBool);
    NodeRef code = binaryNode(comparison.op, comparedCode(a), comparedCode(b));
    NodeRef unknown;
    if (a.isNullable) unknown = isNullNode(a.code);
    if (b.isNullable) unknown = unknown ? binaryNode(Operator::Or, unknown, isNullNode(b.code)) : isNullNode(b.code);
    const bool isNullable = static_cast<bool>(unknown);
    if (unknown) code = callNode("iif", {std::move(unknown), constantNode(Value::nullOf(Type::Bool)), std::move(code)});
    Typed result = typedCode(std::move(code), oid::kBool, -1, place);
    result.isNullable = isNullable;
    return result;
}

Typed resolveLike(Typed text, Typed pattern, const Typed* escape, bool isCaseless, int place,
                  const ConversionHost& host) {
    const char* name = isCaseless ? "~~*" : "~~";
    if (!isTextType(text.type) || !isTextType(pattern.type)) refuseOperator(name, &text, pattern, place);
    text = convert(std::move(text), oid::kText, -1, Conversion::Implicit, host);
    pattern = convert(std::move(pattern), oid::kText, -1, Conversion::Implicit, host);
    const NodeRef escapeCode = escape == nullptr ? constantNode(textValue("\\")) : escape->code;
    return call("pgLike", {text.code, pattern.code, escapeCode, truth(isCaseless)}, oid::kBool, place,
                text.isNullable || pattern.isNullable);
}

// Resolves the operators of json and jsonb; nullopt for other ones.
static std::optional<Typed> resolveJsonOperator(std::string_view name, const Typed& left, Typed right, int place,
                                                const ConversionHost& host) {
    const bool isBinary = left.type == oid::kJsonb;
    if (!isBinary && left.type != oid::kJson) return {};
    const auto as = [&](Oid type) { return convert(right, type, -1, Conversion::Implicit, host).code; };
    const NodeRef isText = truth(name.ends_with(">>"));
    const Oid found = name.ends_with(">>") ? Oid{oid::kText} : left.type;
    if (name == "->" || name == "->>")
        return call("pgJsonGet", {left.code, as(isIntegerType(right.type) ? oid::kInt4 : oid::kText), isText}, found,
                    place, true);
    if (name == "#>" || name == "#>>")
        return call("pgJsonPath", {left.code, as(oid::kTextArray), isText}, found, place, true);
    const bool isNullable = left.isNullable || right.isNullable;
    if (!isBinary) return {};
    if (name == "@>" || name == "<@") {
        NodeRef other = as(oid::kJsonb), own = left.code;
        if (name == "<@") std::swap(own, other);
        return call("pgJsonContains", {own, other}, oid::kBool, place, isNullable);
    }
    if (name == "?")
        return call("pgJsonHas", {left.code, callNode("pgArrayOf", {number(oid::kText), as(oid::kText)}), truth(true)},
                    oid::kBool, place, isNullable);
    if (name == "?|" || name == "?&")
        return call("pgJsonHas", {left.code, as(oid::kTextArray), truth(name == "?&")}, oid::kBool, place, isNullable);
    return {};
}

Typed resolveOperator(std::string_view name, Typed left, Typed right, int place, const ConversionHost& host) {
    if (auto found = resolveJsonOperator(name, left, right, place, host)) return std::move(*found);
    if (name == "||") {
        const auto isArray = [](const Typed& side) {
            return oidFacts(side.type) != nullptr && oidFacts(side.type)->category == 'A';
        };
        if (isArray(left) || isArray(right)) {
            if (left.isUnknown()) left = convert(std::move(left), right.type, -1, Conversion::Implicit, host);
            if (right.isUnknown()) right = convert(std::move(right), left.type, -1, Conversion::Implicit, host);
            if (left.type != right.type)
                throw SqlError(sql_state::kFeatureNotSupported, "Only arrays of one type are joined by || here.",
                               place);
            return call("pgArrayConcat", {left.code, right.code}, left.type, place, true);
        }
        if (!isTextType(left.type) && !isTextType(right.type)) refuseOperator(name, &left, right, place);
        left = convert(std::move(left), oid::kText, -1, Conversion::Explicit, host);
        right = convert(std::move(right), oid::kText, -1, Conversion::Explicit, host);
        return call("pgConcat", {left.code, right.code}, oid::kText, place, left.isNullable || right.isNullable);
    }
    if (name == "~" || name == "~*" || name == "!~" || name == "!~*") {
        if (!isTextType(left.type) || !isTextType(right.type)) refuseOperator(name, &left, right, place);
        left = convert(std::move(left), oid::kText, -1, Conversion::Implicit, host);
        right = convert(std::move(right), oid::kText, -1, Conversion::Implicit, host);
        Typed matches = call("pgMatches", {left.code, right.code, truth(name.ends_with('*'))}, oid::kBool, place,
                             left.isNullable || right.isNullable);
        if (name[0] == '!') matches.code = callNode("pgNot", {matches.code});
        return matches;
    }
    if (name == "&" || name == "|" || name == "#") {
        if (left.isUnknown() && isIntegerType(right.type))
            left = convert(std::move(left), right.type, -1, Conversion::Implicit, host);
        if (right.isUnknown() && isIntegerType(left.type))
            right = convert(std::move(right), left.type, -1, Conversion::Implicit, host);
        if (!isIntegerType(left.type) || !isIntegerType(right.type)) refuseOperator(name, &left, right, place);
        const Oid type = commonType(left.type, right.type);
        left = convert(std::move(left), type, -1, Conversion::Implicit, host);
        right = convert(std::move(right), type, -1, Conversion::Implicit, host);
        const char* function = name == "&" ? "bitAnd" : name == "|" ? "bitOr" : "bitXor";
        return call(function, {left.code, right.code}, type, place, left.isNullable || right.isNullable);
    }
    if (name == "^") {
        auto numbers = asNumbers(left, right, host);
        if (!numbers) refuseOperator(name, &left, right, place);
        const Typed a = convert(numbers->left, oid::kFloat8, -1, Conversion::Explicit, host),
                    b = convert(numbers->right, oid::kFloat8, -1, Conversion::Explicit, host);
        Typed power = call("pgPower", {a.code, b.code}, oid::kFloat8, place);
        if (numbers->type != oid::kNumeric) return power;
        return typedNumeric(callNode("pgNumeric", {power.code, number(kQuotientScale), number(kMaxScale)}),
                            kQuotientScale, place);
    }
    if (name.size() == 1 && std::string_view("+-*/%").find(name[0]) != std::string_view::npos) {
        if (auto time = timeOperation(name[0], left, right, place, host)) return std::move(*time);
        if (auto numbers = asNumbers(left, right, host)) return arithmetic(name[0], *numbers, place);
    }
    refuseOperator(name, &left, right, place);
}

Typed resolvePrefix(std::string_view name, Typed operand, int place, const ConversionHost& host) {
    if (operand.isUnknown()) operand = convert(std::move(operand), oid::kFloat8, -1, Conversion::Implicit, host);
    if (name == "+" && isNumberType(operand.type)) return operand;
    if (name == "-" && operand.type == oid::kInterval)
        return call("pgIntervalMultiply", {operand.code, constantNode(Value::ofDouble(-1))}, oid::kInterval, place);
    if (name == "-" && operand.type == oid::kNumeric) {
        return typedNumeric(callNode("pgNumericNegate", {operand.code, number(operand.scale)}), operand.scale, place,
                            std::min(operand.modifier, -1));
    }
    if (name == "-" && isNumberType(operand.type)) {
        Typed zero = typedConstant(convertNumber(Value::ofInt(0), operand.type, 0, 38), operand.type);
        return isFloatType(operand.type)
                   ? typedCode(makeRef<Unary>(Operator::Neg, operand.code, SourcePosition()), operand.type, -1, place)
                   : resolveOperator("-", std::move(zero), std::move(operand), place, host);
    }
    refuseOperator(name, nullptr, operand, place);
}

}  // namespace pelorus::postgres
