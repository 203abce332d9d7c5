#include "sql/operators/aggregate/interval_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/error.h"
#include "common/time/calendar.h"
#include "runtime/kernel/block/comparison.h"
#include "runtime/value/cast.h"
#include "sql/expression/constraint.h"
#include "sql/expression/dummy_call.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/aggregate/time_grid.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxWindows = int64_t{1} << 26;

// Filling of cells of windows without rows.
struct Filling {
    enum class Kind : uint8_t { Leave, Drop, Previous, Next, Linear, Constant };
    Kind kind = Kind::Leave;
    Value constant;
};

// Window w reaches from begin + w * step over `duration` units. Windows at the ends of a type, and their numbers, may
// exceed its range.
struct Windows {
    using Wide = __int128;

    Type type = Type::Void;
    Wide begin = 0;
    int64_t step = 1, duration = 1;
    int64_t count = 0;
    bool closedRight = false, labelRight = false;

    // Returns the last window that begins before x, or at it.
    Wide lastOf(Wide x) const {
        const Wide distance = x - begin - (closedRight ? 1 : 0);
        return distance / step - (distance % step < 0 ? 1 : 0);
    }
    Wide firstOf(int64_t x) const { return lastOf(Wide(x) - duration) + 1; }
    // Returns NULL where the type has no such value.
    int64_t label(int64_t w) const {
        const Wide at = begin + Wide(w) * step + (labelRight ? duration : 0);
        const Wide most = INT64_MAX >> (64 - 8 * widthOf(type));
        return at < -most || at > most ? null<int64_t> : static_cast<int64_t>(at);
    }
};

Filling fillingOf(const DummyCall& call, Context& context) {
    const Value fill = call.constant("fill", context);
    if (fill.isScalar() && fill.isNumber() && !fill.isNull()) return {Filling::Kind::Constant, fill};
    static const std::vector<std::pair<std::string_view, Filling::Kind>> kWords = {
        {"none", Filling::Kind::Drop}, {"null", Filling::Kind::Leave},    {"prev", Filling::Kind::Previous},
        {"post", Filling::Kind::Next}, {"linear", Filling::Kind::Linear},
    };
    for (const auto& [word, kind] : kWords) {
        if (fill.isString() && fill.string() == word) return {kind, Value()};
    }
    throw UserError("fill of interval must be prev, post, linear, null, none or a number.");
}

// The bounds that `where` sets to X, where X is a plain column; others come from the rows.
struct Range {
    int64_t low = null<int64_t>, high = null<int64_t>;
};

// Returns a bound as the min or the max integer within it, as 3 for x > 2.5. Nothing for NULL, which is in no window,
// and for bounds outside of the column's type: the rows decide.
std::optional<int64_t> wholeBound(const Value& bound, bool included, Type type, bool isLow) {
    if (bound.isVoid() || bound.isNull()) return std::nullopt;
    int64_t whole = 0;
    if (isIntegral(bound.type()) || isTemporal(bound.type())) {
        whole = bound.integer();
    } else {
        const double real = bound.asDouble(), nearest = isLow ? std::ceil(real) : std::floor(real);
        if (!(std::abs(nearest) < exactIntegers(bound.type()))) return std::nullopt;
        whole = static_cast<int64_t>(nearest);
        included = included || nearest != real;
    }
    if (!included && __builtin_add_overflow(whole, isLow ? 1 : -1, &whole)) return std::nullopt;
    const int64_t most = INT64_MAX >> (64 - 8 * widthOf(type));
    return whole < -most || whole > most ? std::nullopt : std::optional(whole);
}

Range rangeOf(const IntervalNode& node, const std::vector<int64_t>& numbers, Context& context) {
    Range range;
    const TableSchema& columns = scanOf(node)->source.columns();
    for (const NodeRef& condition : node.conditions) {
        ColumnConstraint c;
        if (node.xInSource < 0 || !constraintOf(*condition, columns, context, c) || c.column != node.xInSource)
            continue;
        const Type type = columns[static_cast<size_t>(c.column)].type;
        if (const auto low = wholeBound(c.low, c.lowIncluded, type, true))
            range.low = isNull(range.low) ? *low : std::max(range.low, *low);
        if (const auto high = wholeBound(c.high, c.highIncluded, type, false))
            range.high = isNull(range.high) ? *high : std::min(range.high, *high);
    }
    Range rows;
    for (const int64_t n : numbers) {
        if (isNull(n)) continue;
        rows.low = isNull(rows.low) ? n : std::min(rows.low, n);
        rows.high = isNull(rows.high) ? n : std::max(rows.high, n);
    }
    if (isNull(range.low)) range.low = rows.low;
    if (isNull(range.high)) range.high = rows.high;
    return range;
}

Windows windowsOf(const DummyCall& call, Type type, Range range, Context& context) {
    Windows windows;
    windows.type = type;
    windows.duration = unitsOf(call.constant("duration", context), type, "duration");
    const Value step = call.constant("step", context);
    windows.step = step.isVoid() ? windows.duration : unitsOf(step, type, "step");
    if (windows.duration % windows.step != 0) throw UserError("step of interval must divide duration.");
    windows.closedRight = call.word("closed", {"left", "right"}, context) == "right";
    windows.labelRight = call.word("label", {"left", "right"}, context) == "right";
    const Value offset = call.constant("explicitOffset", context);
    const bool explicitOffset = !offset.isVoid() && isTrue(offset);
    const Value origin = call.constant("origin", context);
    if (explicitOffset && !origin.isVoid())
        throw UserError("origin of interval can't be set with explicitOffset=true.");
    if (isNull(range.low) || isNull(range.high) || range.high < range.low) return windows;
    int64_t from = 0;
    if (!origin.isVoid() && !origin.isString()) {
        if (!origin.isScalar() || origin.type() != type)
            throw UserError("origin of interval must be a word, or of the type of X.");
        from = origin.integer();
    } else {
        static const std::vector<std::string> kOrigins = {"start_day", "epoch", "start", "end", "end_day"};
        from = gridOrigin(call.word("origin", kOrigins, context), type, range.low, range.high);
    }
    if (explicitOffset) {
        windows.begin = range.low;
    } else {
        windows.begin = from;
        windows.begin += windows.lastOf(range.low) * windows.step;
    }
    const Windows::Wide count = windows.lastOf(range.high) + 1;
    if (count > kMaxWindows) {
        throw UserError(fmt::format("interval would make {} windows.", count),
                        "Give a longer duration, or bounds of the column in where.");
    }
    windows.count = static_cast<int64_t>(count);
    return windows;
}

// Positions of the result's rows among the groups of one combination of the other keys: -1 for windows without rows.
struct Series {
    size_t begin = 0, end = 0;  // rows of the result
};

Value filled(const Value& column, const std::vector<int32_t>& places, const std::vector<Series>& series,
             const Filling& filling) {
    const auto nullAt = [&](int32_t place) { return place < 0 || column.at(place).isNull(); };
    std::vector<int32_t> from = places;
    const bool isNumber = column.isTypedVector() && isNumeric(column.type());
    Filling::Kind kind = filling.kind;
    if (kind == Filling::Kind::Linear && !isNumber) kind = Filling::Kind::Previous;
    for (const Series& s : series) {
        int32_t known = -1;
        const auto carry = [&](size_t i) { nullAt(from[i]) ? from[i] = known : known = from[i]; };
        if (kind == Filling::Kind::Previous) {
            for (size_t i = s.begin; i < s.end; ++i) carry(i);
        } else if (kind == Filling::Kind::Next) {
            for (size_t i = s.end; i-- > s.begin;) carry(i);
        }
    }
    Value result = gatherElements(column, from.data(), static_cast<int64_t>(from.size()));
    if (!isNumber || (kind != Filling::Kind::Linear && kind != Filling::Kind::Constant)) return result;
    result.makeUnique();
    Vector& cells = result.vector();
    if (kind == Filling::Kind::Constant) {
        const Value constant = cast(filling.constant, cells.type());
        for (int64_t i = 0; i < cells.size(); ++i) {
            if (cells.isNullAt(i)) cells.set(i, constant);
        }
        return result;
    }
    for (const Series& s : series) {
        auto left = static_cast<int64_t>(s.end);
        for (auto i = static_cast<int64_t>(s.begin); i < static_cast<int64_t>(s.end); ++i) {
            if (cells.isNullAt(i)) continue;
            for (int64_t gap = left + 1; gap < i; ++gap) {
                const double share = static_cast<double>(gap - left) / static_cast<double>(i - left);
                const double a = cells.asDouble(left), b = cells.asDouble(i);
                cells.set(gap, cast(Value::ofDouble(a + (b - a) * share), cells.type()));
            }
            left = i;
        }
    }
    return result;
}

// Returns the rows of every window, a row of several windows several times, with the number of the window as a column.
Ref<MemoryTable> rowsOfWindows(const MemoryTable& rows, const std::vector<int64_t>& numbers, const Windows& windows) {
    std::vector<int32_t> positions;
    std::vector<int64_t> window;
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (isNull(numbers[i])) continue;
        const auto last = static_cast<int64_t>(std::min<Windows::Wide>(windows.lastOf(numbers[i]), windows.count - 1));
        const auto first = static_cast<int64_t>(std::max<Windows::Wide>(windows.firstOf(numbers[i]), 0));
        for (int64_t w = first; w <= last; ++w) {
            positions.push_back(static_cast<int32_t>(i));
            window.push_back(w);
        }
    }
    Ref<MemoryTable> result = rows.gather(positions.data(), static_cast<int64_t>(positions.size()));
    result->setColumn(" window", Value::of(Vector::of(Type::Long, window)));  // the last column, found by its number
    return result;
}

// The rows of the result: windows one after the other, of one combination of the other keys after the other.
struct WindowRows {
    std::vector<int32_t> places;  // the group of each row, or -1 where the window has none
    std::vector<int32_t> owners;  // a group with the other keys of the row
    std::vector<int64_t> labels;
    std::vector<Series> series;
};

// One series of windows for every combination of the other keys.
WindowRows windowRows(const IntervalNode& node, const MemoryTable& groups, const Windows& windows,
                      const Filling& filling) {
    std::vector<Value> others;
    for (int k = 0; k < static_cast<int>(node.keys.size()); ++k) {
        if (k != node.interval) others.push_back(groups.column(k));
    }
    std::vector<std::vector<int32_t>> members;
    if (others.empty()) {
        members.emplace_back();
        for (int32_t g = 0; g < groups.rowCount(); ++g) members[0].push_back(g);
        if (members[0].empty()) members.clear();
    } else {
        members = groupRows(others, groups.rowCount()).rows;
    }
    const Value& windowOf = groups.column(node.interval);
    WindowRows result;
    auto& [places, owners, labels, series] = result;
    for (const std::vector<int32_t>& rowsOfSeries : members) {
        const size_t begin = places.size();
        if (filling.kind == Filling::Kind::Drop) {
            for (const int32_t g : rowsOfSeries) {
                places.push_back(g);
                labels.push_back(windows.label(windowOf.vector().asLong(g)));
            }
        } else {
            places.resize(begin + static_cast<size_t>(windows.count), -1);
            for (int64_t w = 0; w < windows.count; ++w) labels.push_back(windows.label(w));
            for (const int32_t g : rowsOfSeries) places[begin + static_cast<size_t>(windowOf.vector().asLong(g))] = g;
        }
        owners.resize(places.size(), rowsOfSeries[0]);
        series.push_back({begin, places.size()});
    }
    return result;
}

// Returns keys and output columns under the query's names, with the windows that have no rows filled.
Ref<MemoryTable> intervalResult(const IntervalNode& node, const MemoryTable& groups, const WindowRows& rows, Type type,
                                const Filling& filling) {
    auto result = makeRef<MemoryTable>();
    const auto count = static_cast<int64_t>(rows.owners.size());
    for (const IntervalNode::Column& column : node.columns) {
        if (column.key < 0) {
            result->setColumn(column.name, filled(groups.column(column.group), rows.places, rows.series, filling));
        } else if (column.key == node.interval) {
            result->setColumn(column.name, gridColumn(rows.labels, type));
        } else {
            result->setColumn(column.name, gatherElements(groups.column(column.key), rows.owners.data(), count));
        }
    }
    return result;
}

// An expression that makes several columns of a group has no place among the windows.
void requireColumns(const IntervalNode& node, const MemoryTable& groups) {
    int known = static_cast<int>(node.keys.size());
    for (const IntervalNode::Column& column : node.columns) known += column.key < 0 ? 1 : 0;
    if (groups.columnCount() == known) return;
    throw UserError("Each expression of a query with interval must give one value a group.", "Use aggregates.");
}

}  // namespace

Ref<MemoryTable> intervalRows(const IntervalNode& node, const MemoryTable& rows,
                              const std::function<Ref<MemoryTable>(const Ref<MemoryTable>&)>& runGroups,
                              Context& context) {
    const Filling filling = fillingOf(node.call, context);
    const Value column = node.x.evaluate(context, rows);
    const std::vector<int64_t> numbers = gridNumbers(column, "interval");
    const Windows windows = windowsOf(node.call, column.type(), rangeOf(node, numbers, context), context);
    const Ref<MemoryTable> groups = runGroups(rowsOfWindows(rows, numbers, windows));
    requireColumns(node, *groups);
    return intervalResult(node, *groups, windowRows(node, *groups, windows, filling), windows.type, filling);
}

}  // namespace pelorus
