#include "sql/joins.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/duration.h"
#include "runtime/kernel/operators.h"
#include "runtime/kernel/promotion.h"
#include "sql/group_table.h"
#include "sql/window_aggregates.h"

namespace pelorus {

namespace {

const Value& keyColumn(const MemoryTable& table, const std::string& name, const char* side) {
    const Value* column = table.column(name);
    if (!column) throw UserError(fmt::format("The {} table of the join has no column {}.", side, name));
    if (column->isTuple()) throw UserError(fmt::format("The column {} of mixed values can't be a join key.", name));
    return *column;
}

// Both sides of a key in one type, so that equal values get equal numbers.
std::pair<Value, Value> comparable(const Value& a, const Value& b, const std::string& name) {
    if (a.type() == b.type()) return {a, b};
    if (isLiteral(a.type()) && isLiteral(b.type())) return {cast(a, Type::Symbol), cast(b, Type::Symbol)};
    try {
        Type type = isTemporal(a.type()) && isTemporal(b.type()) ? planBinary(Operator::Eq, a.type(), b.type()).operands
                                                                 : commonType(a.type(), b.type());
        if (type != Type::Any) return {cast(a, type), cast(b, type)};
    } catch (const UserError&) {
    }
    throw UserError(fmt::format("The key {} is {} on one side of the join and {} on the other.", name,
                                typeName(a.type()), typeName(b.type())));
}

struct Numbered {
    std::vector<int32_t> left, right;  // group of each row; -1 where a key is NULL
    int64_t groups = 0;
};

Numbered number(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, size_t keyCount) {
    std::vector<Value> leftKeys, rightKeys;
    std::vector<Type> types;
    for (size_t k = 0; k < keyCount; ++k) {
        auto [a, b] =
            comparable(keyColumn(left, keys.left[k], "left"), keyColumn(right, keys.right[k], "right"), keys.left[k]);
        types.push_back(a.type());
        leftKeys.push_back(std::move(a));
        rightKeys.push_back(std::move(b));
    }
    Numbered result;
    result.left.resize(static_cast<size_t>(left.rowCount()));
    result.right.resize(static_cast<size_t>(right.rowCount()));
    GroupTable table(types);
    table.assign(rightKeys, right.rowCount(), result.right.data());
    table.assign(leftKeys, left.rowCount(), result.left.data());
    result.groups = table.size();
    auto dropNulls = [](const std::vector<Value>& columns, std::vector<int32_t>& groups) {
        for (const Value& column : columns) {
            if (!column.vector().hasNull()) continue;
            for (size_t i = 0; i < groups.size(); ++i) {
                if (column.vector().isNullAt(static_cast<int64_t>(i))) groups[i] = -1;
            }
        }
    };
    dropNulls(leftKeys, result.left);
    dropNulls(rightKeys, result.right);
    return result;
}

// Rows of each group in order: rows[begin[g] … begin[g + 1]).
struct GroupRows {
    std::vector<int32_t> begin, rows;
};

GroupRows rowsByGroup(const std::vector<int32_t>& groups, int64_t groupCount) {
    GroupRows result;
    result.begin.assign(static_cast<size_t>(groupCount) + 1, 0);
    for (int32_t g : groups) {
        if (g >= 0) ++result.begin[static_cast<size_t>(g) + 1];
    }
    for (size_t g = 1; g < result.begin.size(); ++g) result.begin[g] += result.begin[g - 1];
    result.rows.resize(static_cast<size_t>(result.begin.back()));
    std::vector<int32_t> next(result.begin.begin(), result.begin.end() - 1);
    for (size_t i = 0; i < groups.size(); ++i) {
        if (groups[i] >= 0)
            result.rows[static_cast<size_t>(next[static_cast<size_t>(groups[i])]++)] = static_cast<int32_t>(i);
    }
    return result;
}

// Which columns of each side a result leaves out.
struct LeftOut {
    std::vector<std::string> left, right;
};

bool holds(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Pairs of rows as one table; row -1 of a side gives NULL.
Ref<MemoryTable> combine(const MemoryTable& left, const MemoryTable& right, const std::vector<int32_t>& leftRows,
                         const std::vector<int32_t>& rightRows, const LeftOut& leftOut, const JoinedColumns& shown) {
    auto result = makeRef<MemoryTable>();
    auto add = [&](const MemoryTable& side, int column, const std::vector<int32_t>& rows, const std::string& name) {
        result->setColumn(name, gatherItems(side.column(column), rows.data(), static_cast<int64_t>(rows.size())));
    };
    auto isRead = [&](const std::string& name) { return !shown.isRead || name.starts_with(' ') || shown.isRead(name); };
    auto keepHidden = [&](const MemoryTable& side, const std::vector<std::string>& keys,
                          const std::vector<int32_t>& rows) {
        for (const std::string& key : keys) add(side, side.findColumn(key), rows, shown.hiddenPrefix + key);
    };
    for (int c = 0; c < left.columnCount(); ++c) {
        const std::string& name = left.columns()[static_cast<size_t>(c)].name;
        if (!holds(leftOut.left, name) && isRead(name)) add(left, c, leftRows, name);
    }
    for (int c = 0; c < right.columnCount(); ++c) {
        const std::string& name = right.columns()[static_cast<size_t>(c)].name;
        if (holds(leftOut.right, name)) continue;
        const bool isTaken = left.findColumn(name) >= 0 && !holds(leftOut.left, name);
        const std::string called = joinedName(name, shown.rightName, isTaken);
        if (isRead(called)) add(right, c, rightRows, called);
    }
    if (!shown.hiddenPrefix.empty()) {
        keepHidden(left, leftOut.left, leftRows);
        keepHidden(right, leftOut.right, rightRows);
    }
    // Someone may only count the rows.
    if (result->columnCount() == 0) add(left, 0, leftRows, left.columns()[0].name);
    return result;
}

// Pairs of rows with equal keys, in the order of the left rows; with `keepLeft` also left rows without a partner.
struct RowPairs {
    std::vector<int32_t> left, right;
};

enum class Matches : uint8_t { All, First };

RowPairs pairsOf(const std::vector<int32_t>& leftGroups, const GroupRows& right, bool keepLeft, Matches matches) {
    RowPairs pairs;
    pairs.left.reserve(leftGroups.size());
    pairs.right.reserve(leftGroups.size());
    for (size_t i = 0; i < leftGroups.size(); ++i) {
        const int32_t g = leftGroups[i];
        const int32_t begin = g < 0 ? 0 : right.begin[static_cast<size_t>(g)];
        int32_t end = g < 0 ? 0 : right.begin[static_cast<size_t>(g) + 1];
        if (matches == Matches::First && end > begin) end = begin + 1;
        for (int32_t r = begin; r < end; ++r) {
            pairs.left.push_back(static_cast<int32_t>(i));
            pairs.right.push_back(right.rows[static_cast<size_t>(r)]);
        }
        if (begin == end && keepLeft) {
            pairs.left.push_back(static_cast<int32_t>(i));
            pairs.right.push_back(-1);
        }
    }
    return pairs;
}

// The last key of an as-of or window join as numbers.
Ref<Vector> longTimes(const Value& v) {
    if (isLiteral(v.type()) || isFloating(v.type())) {
        throw UserError("The last key of such a join must be temporal or integral.");
    }
    Ref<Vector> longs = Vector::make(Type::Long, v.size());
    auto* out = longs->mutableItems<int64_t>();
    for (int64_t i = 0; i < v.size(); ++i) out[i] = v.vector().isNullAt(i) ? null<int64_t> : v.vector().asLong(i);
    return longs;
}

void exclude(const std::vector<char>& mask, std::vector<int32_t>& groups) {
    for (size_t i = 0; i < mask.size(); ++i) {
        if (!mask[i]) groups[i] = -1;
    }
}

}  // namespace

std::string joinedName(const std::string& column, const std::string& rightName, bool isTaken) {
    return isTaken ? (rightName.empty() ? "right" : rightName) + "_" + column : column;
}

Ref<MemoryTable> equiJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, JoinKind kind,
                          const JoinedColumns& shown, const JoinMasks& masks) {
    Numbered numbers = number(left, right, keys, keys.left.size());
    exclude(masks.left, numbers.left);
    exclude(masks.right, numbers.right);
    if (kind == JoinKind::Right) {
        RowPairs pairs = pairsOf(numbers.right, rowsByGroup(numbers.left, numbers.groups), true, Matches::All);
        return combine(left, right, pairs.right, pairs.left, {keys.left, {}}, shown);
    }
    RowPairs pairs = pairsOf(numbers.left, rowsByGroup(numbers.right, numbers.groups), kind != JoinKind::Inner,
                             kind == JoinKind::LeftSemi ? Matches::First : Matches::All);
    if (kind != JoinKind::Full) return combine(left, right, pairs.left, pairs.right, {{}, keys.right}, shown);
    std::vector<char> matched(numbers.right.size(), 0);
    for (int32_t r : pairs.right) {
        if (r >= 0) matched[static_cast<size_t>(r)] = 1;
    }
    for (size_t r = 0; r < matched.size(); ++r) {
        if (matched[r]) continue;
        pairs.left.push_back(-1);
        pairs.right.push_back(static_cast<int32_t>(r));
    }
    // A full join keeps the right keys, under the right table's name.
    return combine(left, right, pairs.left, pairs.right, {}, shown);
}

Ref<MemoryTable> asofJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                          const JoinedColumns& shown) {
    size_t last = keys.left.size() - 1;
    auto [leftTime, rightTime] = comparable(keyColumn(left, keys.left[last], "left"),
                                            keyColumn(right, keys.right[last], "right"), keys.left[last]);
    Numbered numbers = number(left, right, keys, last);
    GroupRows rows = rowsByGroup(numbers.right, std::max<int64_t>(numbers.groups, 1));
    const Ref<Vector> leftTimes = longTimes(leftTime), rightTimes = longTimes(rightTime);
    const int64_t* times = rightTimes->items<int64_t>();
    std::vector<int32_t> leftRows(numbers.left.size()), rightRows(numbers.left.size(), -1);
    for (size_t i = 0; i < numbers.left.size(); ++i) {
        leftRows[i] = static_cast<int32_t>(i);
        int32_t g = numbers.left[i];
        if (g < 0) continue;
        const int32_t* begin = rows.rows.data() + rows.begin[static_cast<size_t>(g)];
        const int32_t* end = rows.rows.data() + rows.begin[static_cast<size_t>(g) + 1];
        int64_t t = leftTimes->items<int64_t>()[i];
        if (isNull(t)) continue;
        const int32_t* after = std::upper_bound(begin, end, t, [&](int64_t a, int32_t row) { return a < times[row]; });
        if (after != begin && !isNull(times[after[-1]])) rightRows[i] = after[-1];
    }
    // The right side's last key stays: it tells how old the match is.
    std::vector<std::string> hidden(keys.right.begin(), keys.right.end() - 1);
    return combine(left, right, leftRows, rightRows, {{}, hidden}, shown);
}

Ref<MemoryTable> prefixJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                            const JoinedColumns& shown) {
    if (keys.left.size() != 1) throw UserError("A prefix join matches one column.");
    const Value& texts = keyColumn(left, keys.left[0], "left");
    const Value& prefixes = keyColumn(right, keys.right[0], "right");
    if (!isLiteral(texts.type()) || !isLiteral(prefixes.type())) {
        throw UserError("A prefix join matches columns of STRING or SYMBOL.");
    }
    std::vector<int32_t> leftRows, rightRows;
    for (int64_t l = 0; l < texts.size(); ++l) {
        const std::string_view text = texts.vector().text(l);
        for (int64_t r = 0; r < prefixes.size(); ++r) {
            const std::string_view prefix = prefixes.vector().text(r);
            if (prefix.empty() || !text.starts_with(prefix)) continue;
            leftRows.push_back(static_cast<int32_t>(l));
            rightRows.push_back(static_cast<int32_t>(r));
        }
    }
    return combine(left, right, leftRows, rightRows, {}, shown);
}

namespace {

// Rows of the right table in one window, as positions in the list of its group.
struct WindowRows {
    const int32_t* begin;
    const int32_t* end;
};

// The times of a key, and of both ends of the windows around them, comparable with the right side's.
struct WindowTimes {
    Ref<Vector> low, high, right;
};

Value shifted(const Value& times, const Value& by) {
    if (by.type() == Type::Duration) return temporalAdd(times, by.integer(), by.unit());
    return applyBinary(Operator::Add, times, by);
}

WindowTimes windowTimes(const Value& left, const Value& right, const Value& window, const std::string& name) {
    if (!window.isPair() || (window.type() != Type::Duration && !isIntegral(window.type()))) {
        throw UserError(2, "window must be a pair of integers or durations, as in -5s:0s.");
    }
    auto [low, times] = comparable(shifted(left, window.at(0)), right, name);
    const Value high = comparable(shifted(left, window.at(1)), right, name).first;
    return {longTimes(low), longTimes(high), longTimes(times)};
}

bool isPreviousWindow(const Value& window) {
    return window.isPair() && window.at(0).integer() == 0 && window.at(1).integer() == 0;
}

}  // namespace

Ref<MemoryTable> windowJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                            const WindowJoin& join, Context& context) {
    const size_t last = keys.left.size() - 1;
    const WindowTimes times = windowTimes(keyColumn(left, keys.left[last], "left"),
                                          keyColumn(right, keys.right[last], "right"), join.window, keys.left[last]);
    const Numbered numbers = number(left, right, keys, last);
    const GroupRows rows = rowsByGroup(numbers.right, std::max<int64_t>(numbers.groups, 1));
    const int64_t* right64 = times.right->items<int64_t>();
    auto below = [&](int32_t row, int64_t t) { return right64[row] < t; };
    auto above = [&](int64_t t, int32_t row) { return t < right64[row]; };
    const bool fromPrevious = isPreviousWindow(join.window);
    std::vector<int64_t> previous(static_cast<size_t>(std::max<int64_t>(numbers.groups, 1)), null<int64_t>);
    std::vector<WindowRows> windows(numbers.left.size(), WindowRows{nullptr, nullptr});
    for (size_t i = 0; i < numbers.left.size(); ++i) {
        const int32_t g = numbers.left[i];
        if (g < 0) continue;
        const int32_t* begin = rows.rows.data() + rows.begin[static_cast<size_t>(g)];
        const int32_t* end = rows.rows.data() + rows.begin[static_cast<size_t>(g) + 1];
        const int64_t low = times.low->items<int64_t>()[i], high = times.high->items<int64_t>()[i];
        if (isNull(low) || isNull(high)) continue;
        if (fromPrevious) {
            int64_t& from = previous[static_cast<size_t>(g)];
            windows[i].begin = isNull(from) ? begin : std::lower_bound(begin, end, from, below);
            windows[i].end = std::lower_bound(begin, end, high, below);
            from = high;
            continue;
        }
        const int32_t* first = std::lower_bound(begin, end, low, below);
        windows[i].end = std::upper_bound(begin, end, high, above);
        if (join.prevailing) {
            const int32_t* afterEqual = std::upper_bound(begin, end, low, above);
            if (afterEqual != begin) first = afterEqual - 1;
        }
        windows[i].begin = std::min(first, windows[i].end);
    }
    return windowAggregates(
        left, right, windows.size(),
        [&](size_t i) {
            return std::span<const int32_t>(windows[i].begin, std::max(windows[i].begin, windows[i].end));
        },
        join.aggregates, context);
}

Ref<MemoryTable> crossJoin(const MemoryTable& left, const MemoryTable& right, const JoinedColumns& shown) {
    if (left.rowCount() * right.rowCount() > INT32_MAX) {
        throw UserError(fmt::format("The cross join would have {} rows; the most is 2147483647.",
                                    left.rowCount() * right.rowCount()));
    }
    std::vector<int32_t> leftRows, rightRows;
    for (int64_t l = 0; l < left.rowCount(); ++l) {
        for (int64_t r = 0; r < right.rowCount(); ++r) {
            leftRows.push_back(static_cast<int32_t>(l));
            rightRows.push_back(static_cast<int32_t>(r));
        }
    }
    return combine(left, right, leftRows, rightRows, {}, shown);
}

}  // namespace pelorus
