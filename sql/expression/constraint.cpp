#include "sql/expression/constraint.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "sql/expression/constants.h"

namespace pelorus {

namespace {

constexpr size_t kMaxValues = 1000;  // of a constraint; more are told as a range

// Converts a constant to the column's type, where that is lossless.
bool inColumnType(Value& v, Type type) {
    if (v.isVoid()) return false;
    if (v.type() == type || (isLiteral(v.type()) && isLiteral(type))) return true;
    if (isNumeric(v.type()) && isNumeric(type)) return true;
    if (isTemporal(v.type()) && isTemporal(type)) {
        try {
            Value converted = cast(v, type);
            if (!isTrue(applyBinary(Operator::Eq, converted, v))) return false;
            v = converted;
            return true;
        } catch (const Error&) {
            return false;
        }
    }
    return false;
}

bool less(const Value& a, const Value& b) {
    return isTrue(applyBinary(Operator::Lt, a, b));
}

bool fromComparison(Operator op, Value constant, ColumnConstraint& c) {
    if (!constant.isScalar()) return false;
    switch (op) {
        case Operator::Lt:
        case Operator::Le:
            c.high = std::move(constant);
            c.highIncluded = op == Operator::Le;
            return true;
        case Operator::Gt:
        case Operator::Ge:
            c.low = std::move(constant);
            c.lowIncluded = op == Operator::Ge;
            return true;
        case Operator::Eq:
            c.low = c.high = constant;
            c.anyOf = {std::move(constant)};
            return true;
        default:
            return false;
    }
}

// `in` converts the column's times to the type of the list: a day among days holds all its times. Returns the range
// around them.
bool aroundTimes(const Value& values, Type type, ColumnConstraint& c) {
    for (int64_t i = 0; i < values.size(); ++i) {
        const Value low = cast(values.at(i), type);
        const Value next = cast(applyBinary(Operator::Add, values.at(i), Value::ofInt(1)), type);
        if (low.isNull() || next.isNull() || !less(low, next)) return false;
        if (i == 0 || less(low, c.low)) c.low = low;
        if (i == 0 || less(c.high, next)) c.high = next;
    }
    c.highIncluded = false;
    c.isExact = false;
    return true;
}

// Whether each time of type `coarse` holds several of type `fine`, one after the other.
bool holdsSeveral(Type coarse, Type fine) {
    constexpr int kDay = 10957, kMinute = 60;  // the first of a year, and of an hour
    const bool isOfDays = canCast(Type::Date, fine);
    const Value sample = cast(isOfDays ? Value::scalar(Type::Date, kDay) : Value::scalar(Type::Minute, kMinute), fine);
    const Value around = cast(sample, coarse), later = applyBinary(Operator::Add, sample, Value::ofInt(1));
    return identical(cast(around, fine), sample) && identical(cast(later, coarse), around);
}

bool fromSet(const Value& v, Type type, ColumnConstraint& c) {
    Value values = v;
    if (v.isSet()) values = v.set().index.keys();
    if (!values.isVector() || values.size() == 0 || values.size() > static_cast<int64_t>(kMaxValues)) return false;
    if (isFloating(type) && isIntegral(values.type())) return false;  // `in` rounds the column then
    if (isTemporal(type) && isTemporal(values.type()) && type != values.type()) {
        if (!canCast(type, values.type()) || !canCast(values.type(), type)) return false;
        if (holdsSeveral(values.type(), type)) return aroundTimes(values, type, c);
    }
    for (int64_t i = 0; i < values.size(); ++i) {
        Value one = values.at(i);
        if (!one.isScalar() || !inColumnType(one, type)) return false;
        if (c.anyOf.empty() || less(one, c.low)) c.low = one;
        if (c.anyOf.empty() || less(c.high, one)) c.high = one;
        c.anyOf.push_back(one);
    }
    return true;
}

// Returns the constraint that holds where either of two constraints of one column does: their values together, or the
// range around both.
ColumnConstraint either(const ColumnConstraint& a, const ColumnConstraint& b) {
    ColumnConstraint c;
    c.column = a.column;
    const auto takeBound = [](Value& bound, bool& included, const Value& x, bool xIn, const Value& y, bool yIn,
                              bool smaller) {
        if (x.isVoid() || y.isVoid()) return;  // an open side
        const bool takeX = smaller ? !less(y, x) : !less(x, y);
        const bool areEqual = !less(x, y) && !less(y, x);
        bound = takeX ? x : y;
        included = areEqual ? xIn || yIn : (takeX ? xIn : yIn);
    };
    takeBound(c.low, c.lowIncluded, a.low, a.lowIncluded, b.low, b.lowIncluded, true);
    takeBound(c.high, c.highIncluded, a.high, a.highIncluded, b.high, b.highIncluded, false);
    if (!a.anyOf.empty() && !b.anyOf.empty()) {
        c.anyOf = a.anyOf;
        c.anyOf.insert(c.anyOf.end(), b.anyOf.begin(), b.anyOf.end());
    }
    c.isExact = !c.anyOf.empty();
    return c;
}

}  // namespace

bool constraintOf(const Node& condition, const TableSchema& columns, Context& context, ColumnConstraint& constraint) {
    if (condition.kind != NodeKind::Binary) return false;
    const auto& n = static_cast<const Binary&>(condition);
    if (isOr(n.op)) {
        // Only if both sides constrain one column.
        ColumnConstraint a, b;
        if (!constraintOf(*n.left, columns, context, a) || !constraintOf(*n.right, columns, context, b)) return false;
        if (a.column != b.column) return false;
        constraint = either(a, b);
        return !constraint.low.isVoid() || !constraint.high.isVoid();
    }
    const Node *left = n.left.get(), *right = n.right.get();
    Operator op = n.op;
    if (left->kind != NodeKind::Name || findColumn(columns, static_cast<const Name&>(*left).name) < 0) {
        std::swap(left, right);
        op = mirrored(op);
        if (op == Operator::Between || op == Operator::In) return false;
    }
    if (left->kind != NodeKind::Name) return false;
    constraint.column = findColumn(columns, static_cast<const Name&>(*left).name);
    if (constraint.column < 0) return false;
    Type type = columns[static_cast<size_t>(constraint.column)].type;
    Value value;
    if (!constantValue(*right, columns, context, value)) return false;
    if (op == Operator::Between || (op == Operator::In && value.isPair())) {
        if (!value.isPair() && value.size() != 2) return false;
        constraint.low = value.at(0);
        constraint.high = value.at(1);
        return inColumnType(constraint.low, type) && inColumnType(constraint.high, type);
    }
    if (op == Operator::In) return fromSet(value, type, constraint);
    return value.isScalar() && inColumnType(value, type) && fromComparison(op, value, constraint);
}

std::optional<ColumnConstraint> constraintOfValue(int column, Type type, Operator op, Value value) {
    ColumnConstraint constraint;
    constraint.column = column;
    if (!value.isScalar() || !inColumnType(value, type) || !fromComparison(op, std::move(value), constraint)) return {};
    return constraint;
}

// Adds the constraints that follow from a condition, one for each column that it names in such a form: of `or` those
// that both sides have, as of (a = 1 and b = 2) or (a = 1 and b = 5).
static void addConstraints(const Node& condition, const TableSchema& columns, Context& context,
                           std::vector<ColumnConstraint>& constraints) {
    ColumnConstraint whole;
    if (constraintOf(condition, columns, context, whole)) return constraints.push_back(std::move(whole));
    if (condition.kind != NodeKind::Binary) return;
    const auto& n = static_cast<const Binary&>(condition);
    if (n.op == Operator::And) {
        addConstraints(*n.left, columns, context, constraints);
        addConstraints(*n.right, columns, context, constraints);
        return;
    }
    if (!isOr(n.op)) return;
    std::vector<ColumnConstraint> left, right;
    addConstraints(*n.left, columns, context, left);
    if (!left.empty()) addConstraints(*n.right, columns, context, right);
    for (const ColumnConstraint& a : left) {
        const auto b = std::find_if(right.begin(), right.end(), [&](const auto& c) { return c.column == a.column; });
        if (b == right.end()) continue;
        ColumnConstraint both = either(a, *b);
        both.isExact = false;  // the other columns of a side may fail
        if (both.anyOf.size() > kMaxValues) both.anyOf.clear();
        if (!both.low.isVoid() || !both.high.isVoid()) constraints.push_back(std::move(both));
    }
}

std::vector<ColumnConstraint> constraintsOf(const NodeList& conditions, const TableSchema& columns, Context& context) {
    std::vector<ColumnConstraint> constraints;
    for (const NodeRef& condition : conditions) addConstraints(*condition, columns, context, constraints);
    return constraints;
}

Selects decide(const ColumnConstraint& c, const BlockBounds& bounds) {
    if (!bounds.known) return Selects::Some;
    // NULL is below every value, and equals NULL.
    bool nullsPass = c.low.isVoid() || (c.low.isNull() && c.lowIncluded);
    bool above = !c.low.isVoid() && (c.lowIncluded ? less(bounds.max, c.low) : !less(c.low, bounds.max));
    bool below = !c.high.isVoid() && (c.highIncluded ? less(c.high, bounds.min) : !less(bounds.min, c.high));
    if (above || below) return nullsPass && bounds.nullCount > 0 ? Selects::Some : Selects::None;
    bool lowHolds = c.low.isVoid() || (c.lowIncluded ? !less(bounds.min, c.low) : less(c.low, bounds.min));
    bool highHolds = c.high.isVoid() || (c.highIncluded ? !less(c.high, bounds.max) : less(bounds.max, c.high));
    bool nullsHold = bounds.nullCount == 0 || nullsPass;
    bool listed = c.isExact && c.anyOf.size() <= 1;
    return lowHolds && highHolds && nullsHold && listed && bounds.isExact ? Selects::All : Selects::Some;
}

}  // namespace pelorus
