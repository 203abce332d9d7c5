#include "sql/plan/rules/prune.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "common/error.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/partition/partition_function.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "sql/execution/query_profile.h"
#include "sql/expression/column_expression.h"

namespace pelorus {

namespace {

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
    if (!values.isVector() || values.size() == 0 || values.size() > 1000) return false;
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
    return lowHolds && highHolds && nullsHold && listed ? Selects::All : Selects::Some;
}

// Converts a strict bound of integers, days or the like to the next inclusive one.
static Value inclusive(const Value& bound, bool included, Type column, int step) {
    const bool isWhole = (isIntegral(column) || isTemporal(column)) && bound.isScalar() && bound.type() == column;
    if (included || !isWhole || bound.isNull()) return bound;
    int64_t next = 0;
    return __builtin_add_overflow(bound.integer(), step, &next) ? bound : Value::scalar(column, next);
}

namespace {

// Chosen partitions of one level; nothing when all are.
using LevelChoice = std::optional<std::vector<int>>;

void intersect(LevelChoice& choice, LevelChoice other) {
    if (!other) return;
    if (!choice) {
        choice = std::move(other);
        return;
    }
    std::vector<int> both;
    std::set_intersection(choice->begin(), choice->end(), other->begin(), other->end(), std::back_inserter(both));
    choice = std::move(both);
}

LevelChoice chosenBy(const PartitionLevel& level, const std::vector<Value>& keys) {
    std::vector<int> any;
    for (const Value& key : keys) {
        const LevelChoice one = level.partitionsBetween(key, key);
        if (!one) return std::nullopt;
        any.insert(any.end(), one->begin(), one->end());
    }
    std::sort(any.begin(), any.end());
    any.erase(std::unique(any.begin(), any.end()), any.end());
    return any;
}

// Returns the choice among a level's partitions that a condition on the column implies; the level places rows by the
// column or by a function of it.
LevelChoice chosenBy(const PartitionLevel& level, const PartitionFunction* function, const ColumnConstraint& c,
                     Type type) {
    if (function == nullptr) {
        if (!c.anyOf.empty()) return chosenBy(level, c.anyOf);
        return level.partitionsBetween(inclusive(c.low, c.lowIncluded, type, 1),
                                       inclusive(c.high, c.highIncluded, type, -1));
    }
    const auto keyOf = [&](const Value& item) {
        return item.isVoid() || item.isNull() ? Value() : function->keys(cast(item, type));
    };
    try {
        if (!c.anyOf.empty()) {
            std::vector<Value> keys;
            for (const Value& item : c.anyOf) keys.push_back(keyOf(item));
            return chosenBy(level, keys);
        }
        if (function->isMonotone(type)) return level.partitionsBetween(keyOf(c.low), keyOf(c.high));
    } catch (const UserError&) {
        // The function has no key for this constant: all partitions are checked.
    }
    return std::nullopt;
}

// Walks the partitions [begin, end), which agree in the levels before `level` and are in order.
class OrderedChoice {
public:
    OrderedChoice(const std::vector<PartitionEntry>& partitions, const std::vector<LevelChoice>& choices,
                  const std::vector<PartitionLevel>& levels)
        : partitions_(partitions), choices_(choices), levels_(levels) {
        while (chosenLevels_ < choices.size() &&
               std::any_of(choices.begin() + static_cast<std::ptrdiff_t>(chosenLevels_), choices.end(),
                           [](const auto& c) { return c.has_value(); }))
            ++chosenLevels_;
    }

    std::vector<size_t> find() {
        narrow(0, partitions_.size(), 0);
        return std::move(kept_);
    }

private:
    // Returns the first position in [begin, end) whose index of this level is at least `number`.
    size_t lowerBound(size_t begin, size_t end, size_t level, int number) const {
        const auto first = partitions_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = partitions_.begin() + static_cast<std::ptrdiff_t>(end);
        return static_cast<size_t>(
            std::lower_bound(first, last, number,
                             [level](const PartitionEntry& p, int n) { return p.index[level] < n; }) -
            partitions_.begin());
    }

    void narrow(size_t begin, size_t end, size_t level) {
        if (level >= chosenLevels_) {
            for (size_t p = begin; p < end; ++p) kept_.push_back(p);
            return;
        }
        if (choices_[level]) {
            for (const int number : *choices_[level]) {
                begin = lowerBound(begin, end, level, number);
                const size_t next = lowerBound(begin, end, level, number + 1);
                if (next > begin) narrow(begin, next, level + 1);
                begin = next;
            }
            // Partitions that are newer than the scheme of this handle may hold any values.
            begin = lowerBound(begin, end, level, levels_[level].count());
        }
        while (begin < end) {
            const size_t next = lowerBound(begin, end, level, partitions_[begin].index[level] + 1);
            narrow(begin, next, level + 1);
            begin = next;
        }
    }

    const std::vector<PartitionEntry>& partitions_;
    const std::vector<LevelChoice>& choices_;
    const std::vector<PartitionLevel>& levels_;
    size_t chosenLevels_ = 0;  // the levels after these restrict nothing
    std::vector<size_t> kept_;
};

bool isChosen(const PartitionEntry& partition, const std::vector<LevelChoice>& choices,
              const std::vector<PartitionLevel>& levels) {
    for (size_t l = 0; l < choices.size() && l < partition.index.size(); ++l) {
        const int number = partition.index[l];
        if (choices[l] && number < levels[l].count() &&
            !std::binary_search(choices[l]->begin(), choices[l]->end(), number))
            return false;
    }
    return true;
}

}  // namespace

static std::vector<size_t> chosenPartitions(const PartitionedTable& table, const TableSnapshot& snapshot,
                                            const std::vector<ColumnConstraint>& constraints) {
    const auto& levels = table.scheme().levels();
    const auto& partitions = snapshot.partitions();
    std::vector<LevelChoice> choices(levels.size());
    for (size_t l = 0; l < levels.size(); ++l) {
        for (const ColumnConstraint& c : constraints) {
            const ColumnSchema& column = table.columns()[static_cast<size_t>(c.column)];
            if (column.name != table.partitionColumns()[l]) continue;
            intersect(choices[l], chosenBy(levels[l], table.partitionFunction(l), c, column.type));
        }
    }
    // In the order of the scheme, whichever nodes keep them: results are merged in this order on one node and on many.
    if (snapshot.isInSchemeOrder()) return OrderedChoice(partitions, choices, levels).find();
    std::vector<size_t> kept;
    for (size_t i = 0; i < partitions.size(); ++i) {
        if (isChosen(partitions[i], choices, levels)) kept.push_back(i);
    }
    std::sort(kept.begin(), kept.end(), [&](size_t a, size_t b) { return partitions[a].index < partitions[b].index; });
    return kept;
}

std::vector<size_t> prunePartitions(const PartitionedTable& table, const TableSnapshot& snapshot,
                                    const std::vector<ColumnConstraint>& constraints) {
    std::vector<size_t> chosen = chosenPartitions(table, snapshot, constraints);
    tracePartitions(table, snapshot, chosen);
    return chosen;
}

}  // namespace pelorus
