// The type of a call's result from the types of its arguments, before any value exists.
//
// A rule is constant data: a function and what it was made with. A declaration names one:
//
//   .gives = sumOf(0)            LONG for integers, DOUBLE for floating-point numbers, a wider decimal for decimals
//   .gives = is(Type::Double)    whatever the arguments
//   .gives = promote(0, 1)       as X + Y
#pragma once

#include <span>

#include "common/type_table.h"
#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

// The static properties of an argument.
struct TypedArgument {
    Type type = Type::Void;
    Form form = Form::Scalar;
    int32_t scale = 0;                // scale of decimals
    const Value* constant = nullptr;  // the value, if it is known
    bool given = true;                // false for an optional argument that the call leaves out
};

// The element type of a call's result. Unknown: only the call itself shows it.
struct ResultType {
    Type type = Type::Void;
    int32_t scale = 0;
    bool isKnown = false;

    static ResultType of(Type type, int32_t scale = 0) { return {type, scale, true}; }
    bool operator==(const ResultType&) const = default;
};

struct TypeRule {
    using Rule = ResultType (*)(const TypeRule& rule, std::span<const TypedArgument> arguments);

    Rule rule = nullptr;  // nullptr: unknown
    int8_t first = 0, second = 0;
    Type type = Type::Void, otherwise = Type::Void;
    Operator op = Operator::Add;

    explicit operator bool() const { return rule != nullptr; }
    // Throws UserError where the language has no such operation for these types.
    ResultType operator()(std::span<const TypedArgument> arguments) const {
        return rule ? rule(*this, arguments) : ResultType();
    }
};

namespace type_rules {
ResultType fixed(const TypeRule&, std::span<const TypedArgument>);
ResultType same(const TypeRule&, std::span<const TypedArgument>);
ResultType sameOrInt(const TypeRule&, std::span<const TypedArgument>);
ResultType operation(const TypeRule&, std::span<const TypedArgument>);
ResultType common(const TypeRule&, std::span<const TypedArgument>);
ResultType sum(const TypeRule&, std::span<const TypedArgument>);
ResultType wide(const TypeRule&, std::span<const TypedArgument>);
ResultType difference(const TypeRule&, std::span<const TypedArgument>);
ResultType named(const TypeRule&, std::span<const TypedArgument>);
ResultType ifGiven(const TypeRule&, std::span<const TypedArgument>);
ResultType string(const TypeRule&, std::span<const TypedArgument>);
ResultType decimal(const TypeRule&, std::span<const TypedArgument>);
ResultType product(const TypeRule&, std::span<const TypedArgument>);
ResultType ifTrue(const TypeRule&, std::span<const TypedArgument>);
ResultType varying(const TypeRule&, std::span<const TypedArgument>);
ResultType instant(const TypeRule&, std::span<const TypedArgument>);
}  // namespace type_rules

// The rule of a fixed type.
constexpr TypeRule is(Type type) {
    return {.rule = type_rules::fixed, .type = type};
}
// Takes the place of an argument's number: the type that holds the elements of all arguments, as the rows of rowSum.
constexpr int kAll = -1;
// The type of argument i, with its scale.
constexpr TypeRule same(int i) {
    return {.rule = type_rules::same, .first = static_cast<int8_t>(i)};
}
// The type of argument i, but INT for VOID and BOOL, as of arithmetic results.
constexpr TypeRule sameOrInt(int i) {
    return {.rule = type_rules::sameOrInt, .first = static_cast<int8_t>(i)};
}
// The operator's result type for arguments i and j (planBinary).
constexpr TypeRule promote(int i, int j, Operator op = Operator::Add) {
    return {.rule = type_rules::operation, .first = static_cast<int8_t>(i), .second = static_cast<int8_t>(j), .op = op};
}
// The type that holds the elements of both, as the branches of iif (commonType).
constexpr TypeRule common(int i, int j) {
    return {.rule = type_rules::common, .first = static_cast<int8_t>(i), .second = static_cast<int8_t>(j)};
}
// LONG for integers, BOOL and temporal values, DOUBLE for floats, the next wider decimal for decimals.
constexpr TypeRule sumOf(int i) {
    return {.rule = type_rules::sum, .first = static_cast<int8_t>(i)};
}
// LONG for integers and BOOL, DOUBLE for all others: running sums.
constexpr TypeRule wideOf(int i) {
    return {.rule = type_rules::wide, .first = static_cast<int8_t>(i)};
}
// LONG for integers, BOOL and temporal values, DOUBLE for all others.
constexpr TypeRule productOf(int i) {
    return {.rule = type_rules::product, .first = static_cast<int8_t>(i)};
}
// The type of a difference of two elements of argument i: a number of units for temporal ones, INT for BOOL, else its
// type.
constexpr TypeRule differenceOf(int i) {
    return {.rule = type_rules::difference, .first = static_cast<int8_t>(i)};
}
// A declared type that no rule can derive: only the call itself shows it.
constexpr TypeRule varying() {
    return {.rule = type_rules::varying};
}
// A date with the time of day of argument i: DATETIME, TIMESTAMP or NANOTIMESTAMP, as precise as the time.
constexpr TypeRule instantOf(int i) {
    return {.rule = type_rules::instant, .first = static_cast<int8_t>(i)};
}
// The type that argument i names: int, `INT, INT. Unknown unless it is a constant.
constexpr TypeRule named(int i) {
    return {.rule = type_rules::named, .first = static_cast<int8_t>(i)};
}
// One type where the call has argument i, another where it has not.
constexpr TypeRule ifGiven(int i, Type given, Type otherwise) {
    return {.rule = type_rules::ifGiven, .first = static_cast<int8_t>(i), .type = given, .otherwise = otherwise};
}
// The type decided by the value of a flag, false when left out. Unknown unless it is a constant.
constexpr TypeRule ifTrue(int i, Type then, Type otherwise) {
    return {.rule = type_rules::ifTrue, .first = static_cast<int8_t>(i), .type = then, .otherwise = otherwise};
}
// SYMBOL for SYMBOL, BLOB for BLOB, STRING for the others.
constexpr TypeRule stringOf(int i) {
    return {.rule = type_rules::string, .first = static_cast<int8_t>(i)};
}
// This decimal, with the scale that argument i says. Unknown unless it is a constant.
constexpr TypeRule decimalOf(Type type, int i) {
    return {.rule = type_rules::decimal, .first = static_cast<int8_t>(i), .type = type};
}

}  // namespace pelorus
