// Window join: aggregates of the right rows around each left row. SQL-65.
#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/duration.h"
#include "runtime/kernel/operators.h"
#include "sql/join_keys.h"
#include "sql/joins.h"
#include "sql/window_aggregates.h"

namespace pelorus {

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
    return {orderedKey(low), orderedKey(high), orderedKey(times)};
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
    const NumberedKeys numbers = numberKeys(left, right, keys, last);
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

}  // namespace pelorus
