#include "sql/prune.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/dictionary.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/comparison.h"
#include "runtime/kernel/operators.h"
#include "sql/column_expression.h"

namespace pelorus {

namespace {

int findIn(const TableSchema& columns, std::string_view name) {
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name == name) return static_cast<int>(i);
    }
    return -1;
}

// A constant in the column's own type, where that loses nothing.
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

bool fromSet(const Value& v, Type type, ColumnConstraint& c) {
    Value values = v;
    if (v.isSet()) values = v.set().index.keys();
    if (!values.isVector() || values.size() == 0 || values.size() > 1000) return false;
    for (int64_t i = 0; i < values.size(); ++i) {
        Value one = values.at(i);
        if (!one.isScalar() || !inColumnType(one, type)) return false;
        if (c.anyOf.empty() || less(one, c.low)) c.low = one;
        if (c.anyOf.empty() || less(c.high, one)) c.high = one;
        c.anyOf.push_back(one);
    }
    return true;
}

}  // namespace

bool constraintOf(const Node& condition, const TableSchema& columns, Context& context, ColumnConstraint& constraint) {
    if (condition.kind != NodeKind::Binary) return false;
    const auto& n = static_cast<const Binary&>(condition);
    const Node *left = n.left.get(), *right = n.right.get();
    Operator op = n.op;
    if (left->kind != NodeKind::Name || findIn(columns, static_cast<const Name&>(*left).name) < 0) {
        std::swap(left, right);
        op = mirrored(op);
        if (op == Operator::Between || op == Operator::In) return false;
    }
    if (left->kind != NodeKind::Name) return false;
    constraint.column = findIn(columns, static_cast<const Name&>(*left).name);
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

Selects decide(const ColumnConstraint& c, const BlockBounds& bounds) {
    if (!bounds.known) return Selects::Some;
    bool nullsPass = c.low.isVoid();  // NULL is below every value
    bool above = !c.low.isVoid() && (c.lowIncluded ? less(bounds.max, c.low) : !less(c.low, bounds.max));
    bool below = !c.high.isVoid() && (c.highIncluded ? less(c.high, bounds.min) : !less(bounds.min, c.high));
    if (above || below) return nullsPass && bounds.nullCount > 0 ? Selects::Some : Selects::None;
    bool lowHolds = c.low.isVoid() || (c.lowIncluded ? !less(bounds.min, c.low) : less(c.low, bounds.min));
    bool highHolds = c.high.isVoid() || (c.highIncluded ? !less(c.high, bounds.max) : less(bounds.max, c.high));
    bool nullsHold = bounds.nullCount == 0 || nullsPass;
    bool listed = c.anyOf.empty() || (c.anyOf.size() == 1);
    return lowHolds && highHolds && nullsHold && listed ? Selects::All : Selects::Some;
}

// A strict bound of whole numbers, days or the like is the next of them.
static Value inclusive(const Value& bound, bool included, Type column, int step) {
    const bool isWhole = (isIntegral(column) || isTemporal(column)) && bound.isScalar() && bound.type() == column;
    if (included || !isWhole || bound.isNull()) return bound;
    return Value::scalar(column, bound.integer() + step);
}

std::vector<size_t> prunePartitions(const PartitionedTable& table, const TableSnapshot& snapshot,
                                    const std::vector<ColumnConstraint>& constraints) {
    const auto& levels = table.scheme().levels();
    // Per level, which of its partitions stay; constraints on other columns say nothing here.
    std::vector<std::vector<char>> stays(levels.size());
    for (size_t l = 0; l < levels.size(); ++l) {
        stays[l].assign(static_cast<size_t>(levels[l].count()), 1);
        for (const ColumnConstraint& c : constraints) {
            if (table.columns()[static_cast<size_t>(c.column)].name != table.partitionColumns()[l]) continue;
            const Type type = table.columns()[static_cast<size_t>(c.column)].type;
            const Value low = inclusive(c.low, c.lowIncluded, type, 1);
            const Value high = inclusive(c.high, c.highIncluded, type, -1);
            for (int p = 0; p < levels[l].count(); ++p) {
                bool may = c.anyOf.empty() ? levels[l].mayHold(p, low, high)
                                           : std::any_of(c.anyOf.begin(), c.anyOf.end(),
                                                         [&](const Value& v) { return levels[l].mayHold(p, v, v); });
                if (!may) stays[l][static_cast<size_t>(p)] = 0;
            }
        }
    }
    std::vector<size_t> kept;
    const auto& partitions = snapshot.partitions();
    for (size_t i = 0; i < partitions.size(); ++i) {
        bool keep = true;
        for (size_t l = 0; l < levels.size() && l < partitions[i].index.size(); ++l) {
            auto p = static_cast<size_t>(partitions[i].index[l]);
            keep = keep && (p >= stays[l].size() || stays[l][p]);
        }
        if (keep) kept.push_back(i);
    }
    // In the order of the scheme, whoever keeps them: results are merged in this order on one node and on many.
    std::sort(kept.begin(), kept.end(), [&](size_t a, size_t b) { return partitions[a].index < partitions[b].index; });
    return kept;
}

}  // namespace pelorus
