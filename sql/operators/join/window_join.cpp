// Window join: aggregates of the right rows around each left row.
#include <algorithm>
#include <limits>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/kernel/elementwise/operators.h"
#include "sql/keys/join_keys.h"
#include "sql/keys/row_pieces.h"
#include "sql/operators/join/joins.h"
#include "sql/operators/window/window_aggregates.h"

namespace pelorus {

namespace {

Value shifted(const Value& times, const Value& by) {
    if (by.type() == Type::Duration) return temporalAdd(times, by.integer(), by.unit());
    return applyBinary(Operator::Add, times, by);
}

// Sentinels for bounds beyond all keys.
struct Ends {
    int64_t below, above;
};

// Returns keys shifted by a number in their unit.
Ref<Vector> movedKeys(const Vector& keys, int64_t by, Ends ends) {
    const Ref<Vector> bounds = Vector::make(Type::Long, keys.size());
    const auto* x = keys.data<int64_t>();
    auto* out = bounds->mutableData<int64_t>();
    const int64_t end = by < 0 ? ends.below : ends.above;
    forEachPiece(keys.size(), [=](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            int64_t sum = 0;
            const bool isBeyond = __builtin_add_overflow(x[i], by, &sum) || isNull(sum);
            out[i] = isNull(x[i]) ? null<int64_t> : isBeyond ? end : sum;
        }
    });
    return bounds;
}

// Clamps bounds that were computed in the type of the keys: those beyond the end of the type or of the day wrapped
// around.
void cutBounds(const Vector& keys, Vector& bounds, bool rises, bool aroundTheClock, Ends ends) {
    const auto* x = keys.data<int64_t>();
    auto* moved = bounds.mutableData<int64_t>();
    forEachPiece(keys.size(), [=](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
            const bool wentBack = rises ? moved[i] < x[i] : moved[i] > x[i];
            if (!isNull(x[i]) && (wentBack || aroundTheClock || isNull(moved[i])))
                moved[i] = rises ? ends.above : ends.below;
        }
    });
}

// The windows as ranges of the right rows, listed by group in the order of their times.
class WindowFinder {
public:
    WindowFinder(const NumberedKeys& numbers, const GroupRows& rows, const ReadRange& times)
        : numbers_(numbers), begin_(rows.begin), low_(times.low->data<int64_t>()), high_(times.high->data<int64_t>()) {
        ordered_ = times.right->gather(rows.rows.data(), static_cast<int64_t>(rows.rows.size()));
        right_ = ordered_->data<int64_t>();
    }

    // Returns the window around one left row.
    RowSpan around(size_t i, bool prevailing) const {
        int64_t begin = 0, end = 0;
        if (!group(i, begin, end)) return {};
        const int64_t last = std::upper_bound(right_ + begin, right_ + end, high_[i]) - right_;
        int64_t first = std::lower_bound(right_ + begin, right_ + end, low_[i]) - right_;
        if (prevailing) {
            const int64_t afterEqual = std::upper_bound(right_ + begin, right_ + end, low_[i]) - right_;
            if (afterEqual != begin) first = afterEqual - 1;
        }
        return {static_cast<int32_t>(std::min(first, last)), static_cast<int32_t>(last)};
    }

    // Returns the window from the group's previous left row, whose time `previous` keeps.
    RowSpan sincePrevious(size_t i, std::vector<int64_t>& previous) const {
        int64_t begin = 0, end = 0;
        if (!group(i, begin, end)) return {};
        int64_t& from = previous[static_cast<size_t>(numbers_.left[i])];
        const int64_t first = isNull(from) ? begin : std::lower_bound(right_ + begin, right_ + end, from) - right_;
        const int64_t last = std::lower_bound(right_ + begin, right_ + end, high_[i]) - right_;
        from = high_[i];
        return {static_cast<int32_t>(std::min(first, last)), static_cast<int32_t>(last)};
    }

private:
    bool group(size_t i, int64_t& begin, int64_t& end) const {
        const int32_t g = numbers_.left[i];
        if (g < 0 || isNull(low_[i]) || isNull(high_[i])) return false;
        begin = begin_[static_cast<size_t>(g)];
        end = begin_[static_cast<size_t>(g) + 1];
        // Rows without a time come first; they are in no window, and never prevail.
        if (begin < end && isNull(right_[begin]))
            begin = std::upper_bound(right_ + begin, right_ + end, null<int64_t>) - right_;
        return true;
    }

    const NumberedKeys& numbers_;
    const std::vector<int32_t>& begin_;
    const int64_t *low_, *high_, *right_;
    Ref<Vector> ordered_;
};

}  // namespace

bool WindowJoin::sincePrevious() const {
    return window.isPair() && window.at(0).integer() == 0 && window.at(1).integer() == 0;
}

ReadRange windowRange(const Value& left, const Value& right, const WindowJoin& join, const std::string& name) {
    const Value& window = join.window;
    if (!window.isPair() || (window.type() != Type::Duration && !isIntegral(window.type()))) {
        throw UserError(2, "window must be a pair of integers or durations, as in -5s:0s.");
    }
    const auto [from, times] = comparable(left, right, name);
    const Ref<Vector> keys = orderedKey(from);
    const bool inOwnUnit = isIntegral(left.type()) || (isTemporal(left.type()) && from.type() == left.type());
    const auto bounds = [&](const Value& by, Ends ends) -> Ref<Vector> {
        if (inOwnUnit && isIntegral(by.type()) && !by.isNull()) return movedKeys(*keys, by.asLong(), ends);
        const Value moved = comparable(shifted(left, by), times, name).first;
        Ref<Vector> numbers = orderedKey(moved);
        if (!by.isNull()) cutBounds(*keys, *numbers, by.integer() >= 0, goesRoundTheClock(left.type(), by), ends);
        return numbers;
    };
    // A window that begins above all keys or ends below them holds nothing, as that of NULL, but the last row prevails
    // at one that begins above.
    constexpr int64_t kMin = null<int64_t> + 1, kMax = std::numeric_limits<int64_t>::max();
    return {bounds(window.at(0), {kMin, join.prevailing ? kMax : null<int64_t>}),
            bounds(window.at(1), {null<int64_t>, kMax}), orderedKey(times)};
}

Ref<MemoryTable> windowJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                            const WindowJoin& join, Context& context) {
    const size_t last = keys.left.size() - 1;
    const ReadRange times = windowRange(keyColumn(left, keys.left[last], "left"),
                                        keyColumn(right, keys.right[last], "right"), join, keys.left[last]);
    const NumberedKeys numbers = numberKeys(left, right, keys, last);
    CHECK(times.low->size() == std::ssize(numbers.left) && times.high->size() == std::ssize(numbers.left))
        << "each left row has a group and a window";
    const GroupRows rows = rowsByGroupInOrder(numbers, *times.right);
    const WindowFinder finder(numbers, rows, times);
    std::vector<RowSpan> windows(numbers.left.size());
    if (join.sincePrevious()) {
        std::vector<int64_t> previous(static_cast<size_t>(std::max<int64_t>(numbers.groups, 1)), null<int64_t>);
        for (size_t i = 0; i < windows.size(); ++i) windows[i] = finder.sincePrevious(i, previous);
    } else {
        constexpr size_t kPiece = size_t{1} << 14;
        parallelFor(static_cast<int64_t>((windows.size() + kPiece - 1) / kPiece), [&](int64_t piece) {
            const size_t begin = static_cast<size_t>(piece) * kPiece, end = std::min(windows.size(), begin + kPiece);
            for (size_t i = begin; i < end; ++i) windows[i] = finder.around(i, join.prevailing);
        });
    }
    return windowAggregates(left, right, rows, windows, join.aggregates, join.before, context);
}

}  // namespace pelorus
