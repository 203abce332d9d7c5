#include "storage/row_table/index_choice.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/thread/cancellation.h"
#include "runtime/value/vector.h"
#include "storage/rows/index_key.h"

namespace pelorus {
namespace {

constexpr size_t kMaxRanges = 1024;
constexpr size_t kEntriesPerStep = 256;
constexpr char kFirstNull = 1;  // begins the part of a NULL, behind those of all values

// How a constant relates to the values of a column.
enum class Fit {
    Exact,  // one value of the column equals it
    None,   // no value of the column does
    Open,   // unknown: the constraint is left to who reads the rows
};

// Returns the largest integer up to which a type has all integers.
int64_t exactIntegers(Type type) {
    return type == Type::Float ? int64_t{1} << 24 : int64_t{1} << 53;
}

Fit wholeFit(int64_t number, Type type, Value& fitted) {
    const int bits = widthOf(type) * 8;
    const int64_t most = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
    if (number > most || number < -most) return Fit::None;  // the least one is NULL
    fitted = Value::scalar(type, number);
    return Fit::Exact;
}

bool isWhole(Type type) {
    return type == Type::Char || type == Type::Short || type == Type::Int || type == Type::Long;
}

// Makes a constant one of the column's type. Comparisons of the engine are of the exact values then.
Fit fit(const Value& constant, const ColumnSchema& column, Value& fitted) {
    const Type type = column.type;
    if (!constant.isScalar() || constant.isVoid()) return Fit::Open;
    if (isLiteral(type) && type != Type::Symbol && type != Type::String) return Fit::Open;
    if (isLiteral(constant.type()) != isLiteral(type)) return Fit::Open;
    if (constant.isNull() || isLiteral(type)) {
        fitted = constant.isNull() ? Value::nullOf(type) : constant;
        return Fit::Exact;
    }
    if (constant.type() == type) {
        if (isDecimal(type) && constant.extra() != column.scale) return Fit::Open;
        if (isFloating(type) && std::isnan(constant.asDouble())) return Fit::Open;
        fitted = constant;
        return Fit::Exact;
    }
    if (isWhole(constant.type()) && isWhole(type)) return wholeFit(constant.asLong(), type, fitted);
    if (isWhole(constant.type()) && isFloating(type)) {
        const int64_t number = constant.asLong();
        if (number > exactIntegers(type) || number < -exactIntegers(type)) return Fit::Open;
        fitted = type == Type::Float ? Value::ofFloat(static_cast<float>(number))
                                     : Value::ofDouble(static_cast<double>(number));
        return Fit::Exact;
    }
    if (isFloating(constant.type()) && isWhole(type)) {
        const double number = constant.asDouble();
        const auto most = static_cast<double>(exactIntegers(constant.type()));
        if (!(std::abs(number) < most) || number != std::trunc(number)) return Fit::Open;
        return wholeFit(static_cast<int64_t>(number), type, fitted);
    }
    return Fit::Open;
}

// Appends the part of a key that values of the column's type have.
void appendPart(const ColumnSchema& column, const Value& value, std::string& key) {
    const RowColumn of = rowColumnOf(column);
    if (value.isNull()) return appendKeyPart(of, nullCell(of.type), key);
    if (isTextColumn(of)) return appendKeyPart(of, value.string(), key);
    const Ref<Vector> one = Vector::filled(of.type, 1, value);
    appendKeyPart(of, cellOf(*one, 0), key);
}

// Returns whether ranges of the type's values are ranges of keys.
bool isOrdered(Type type) {
    return type != Type::Uuid && type != Type::Int128 && type != Type::IpAddr && type != Type::Complex &&
           type != Type::Point;
}

// The ranges of one column behind a prefix, narrowed by constraint after constraint.
class PartRange {
public:
    explicit PartRange(const std::string& prefix) : prefix_(prefix), low_(prefix + '\0'), high_(prefix + kFirstNull) {}

    // Returns whether the constraint is of use.
    bool narrow(const ColumnConstraint& c, const ColumnSchema& column) {
        Value low, high;
        const bool hasLow = !c.low.isVoid() && fit(c.low, column, low) == Fit::Exact;
        const bool hasHigh = !c.high.isVoid() && fit(c.high, column, high) == Fit::Exact;
        if (!hasLow && !hasHigh) return false;
        // An end that is unknown may be one that NULL satisfies.
        const bool nullPassesLow = !hasLow || (low.isNull() && c.lowIncluded);
        const bool nullPassesHigh = !hasHigh || !high.isNull() || c.highIncluded;
        nullsPass_ = nullsPass_ && nullPassesLow && nullPassesHigh;
        if (hasLow && !low.isNull()) {
            std::string end = prefix_;
            appendPart(column, low, end);
            if (!c.lowIncluded) end = keyBehind(std::move(end)).value();
            low_ = std::max(low_, end);
        }
        if (hasHigh && high.isNull()) high_ = low_;  // no value is below NULL
        if (hasHigh && !high.isNull()) {
            std::string end = prefix_;
            appendPart(column, high, end);
            if (c.highIncluded) end = keyBehind(std::move(end)).value();
            high_ = std::min(high_, end);
        }
        return true;
    }

    void addTo(std::vector<KeyRange>& ranges) const {
        if (low_ < high_) ranges.push_back({low_, high_});
        const std::string nulls = prefix_ + kFirstNull;
        if (nullsPass_) ranges.push_back({nulls, keyBehind(nulls)});
    }

private:
    const std::string& prefix_;
    std::string low_, high_;
    bool nullsPass_ = true;
};

// Returns the key parts of the values that the constraints leave for a column; nothing when they leave many, or it is
// not known which.
std::optional<std::vector<std::string>> partsOf(const ColumnSchema& schema, int column,
                                                const std::vector<ColumnConstraint>& constraints) {
    const ColumnConstraint* least = nullptr;
    for (const ColumnConstraint& c : constraints) {
        const bool isLess = least == nullptr || c.anyOf.size() < least->anyOf.size();
        if (c.column == column && !c.anyOf.empty() && isLess) least = &c;
    }
    if (least == nullptr || least->anyOf.size() > kMaxRanges) return {};
    std::vector<std::string> parts;
    for (const Value& value : least->anyOf) {
        Value fitted;
        const Fit how = fit(value, schema, fitted);
        if (how == Fit::Open) return {};
        if (how == Fit::None) continue;
        appendPart(schema, fitted, parts.emplace_back());
    }
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
}

// A choice of one index: with how many of its columns, and how well.
struct Candidate {
    IndexChoice choice;
    size_t fixedColumns = 0;
};

std::optional<Candidate> candidate(const RowIndexDefinition& index, const TableSchema& schema,
                                   const std::vector<int>& ordinals, const std::vector<ColumnConstraint>& constraints) {
    Candidate found;
    std::vector<std::string> prefixes(1);
    for (const int ordinal : index.columns) {
        const auto at = std::find(ordinals.begin(), ordinals.end(), ordinal);
        if (at == ordinals.end()) break;
        const auto column = static_cast<int>(at - ordinals.begin());
        const ColumnSchema& of = schema[static_cast<size_t>(column)];
        const auto parts = partsOf(of, column, constraints);
        if (parts && parts->size() * prefixes.size() <= kMaxRanges) {
            std::vector<std::string> longer;
            for (const std::string& prefix : prefixes)
                for (const std::string& part : *parts) longer.push_back(prefix + part);
            prefixes = std::move(longer);
            ++found.fixedColumns;
            ++found.choice.columns;
            continue;
        }
        if (!isOrdered(of.type)) break;
        bool isNarrowed = false;
        std::vector<KeyRange> ranges;
        for (const std::string& prefix : prefixes) {
            PartRange range(prefix);
            for (const ColumnConstraint& c : constraints)
                if (c.column == column) isNarrowed |= range.narrow(c, of);
            range.addTo(ranges);
        }
        if (!isNarrowed) break;
        ++found.choice.columns;
        found.choice.ranges = std::move(ranges);
        return found;
    }
    if (found.fixedColumns == 0) return {};
    for (std::string& prefix : prefixes) {
        std::optional<std::string> behind = keyBehind(prefix);
        found.choice.ranges.push_back({std::move(prefix), std::move(behind)});
    }
    return found;
}

}  // namespace

RowColumn rowColumnOf(const ColumnSchema& column) {
    return {column.type == Type::Symbol ? Type::String : column.type, static_cast<uint8_t>(column.scale)};
}

std::optional<std::string> keyPartOf(const ColumnSchema& column, const Value& constant) {
    Value fitted;
    if (fit(constant, column, fitted) != Fit::Exact) return {};
    std::string part;
    appendPart(column, fitted, part);
    return part;
}

std::optional<IndexChoice> chooseIndex(const std::vector<RowIndexDefinition>& indexes, const TableSchema& schema,
                                       const std::vector<int>& ordinals,
                                       const std::vector<ColumnConstraint>& constraints) {
    std::optional<Candidate> best;
    for (size_t i = 0; i < indexes.size(); ++i) {
        std::optional<Candidate> one = candidate(indexes[i], schema, ordinals, constraints);
        if (!one) continue;
        one->choice.index = i;
        // A whole unique key finds one row, whatever else is given.
        const bool isOne = indexes[i].isUnique && one->fixedColumns == indexes[i].columns.size();
        if (isOne) return std::move(one->choice);
        const bool isBetter = !best || one->fixedColumns > best->fixedColumns ||
                              (one->fixedColumns == best->fixedColumns && one->choice.columns > best->choice.columns);
        if (isBetter) best = std::move(one);
    }
    if (!best) return {};
    return std::move(best->choice);
}

std::optional<std::vector<uint64_t>> rowsInRanges(const RowKeyIndex& index, const std::vector<KeyRange>& ranges,
                                                  size_t limit) {
    std::vector<uint64_t> rows;
    for (const KeyRange& range : ranges) {
        std::string from = range.low;
        uint64_t row = 0;
        for (bool isMore = true; isMore;) {
            checkCancelled();
            const LatchReader latch(index.latch());
            isMore = index.rowsBetween(from, row, range.high ? &*range.high : nullptr, kEntriesPerStep, rows);
            if (rows.size() > limit) return {};
        }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

}  // namespace pelorus
