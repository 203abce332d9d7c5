#include "sql/operators/window/window_frames.h"

#include <algorithm>
#include <cmath>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/kernel/elementwise/duration.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/cast.h"
#include "runtime/value/element_width.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// Equality in an order: -0.0 equals 0.0, and NaN equals NaN.
bool areEqualInOrder(const Value& a, const Value& b) {
    return identical(a, b) || (isFloating(a.type()) && a.asDouble() == b.asDouble());
}

// Marks the rows whose key differs from that of the row before.
void markChanges(const Value& column, int32_t count, char* mask) {
    const auto mark = [&](const auto& differs) {
        for (int32_t i = 1; i < count; ++i) mask[i] = static_cast<char>(mask[i] | (differs(i) ? 1 : 0));
    };
    if (!column.isTypedVector()) {
        mark([&](int32_t i) { return !areEqualInOrder(column.at(i - 1), column.at(i)); });
        return;
    }
    const Vector& keys = column.vector();
    if (isFloating(keys.type())) {
        std::vector<uint64_t> words(static_cast<size_t>(count));
        CHECK(orderingWords(keys, 0, count, words.data())) << "numbers have ordering words";
        mark([&](int32_t i) { return words[static_cast<size_t>(i)] != words[static_cast<size_t>(i) - 1]; });
    } else if (storageOf(keys.type()) == Storage::String) {
        mark([&](int32_t i) { return keys.string(i - 1) != keys.string(i); });
    } else {
        withWidth(keys.width(), [&](auto zero) {
            using T = decltype(zero);
            const T* const x = keys.data<T>();
            mark([=](int32_t i) { return x[i] != x[i - 1]; });
        });
    }
}

// End of a frame among the values of its key.
struct Bound {
    Value value;
    int beyond = 0;  // -1 and 1: below and above all values that the type of the key holds
};

// Returns x shifted by n, or by a duration; in the direction of the order.
Bound moved(const Value& x, const Value& by, bool forward, bool ascending) {
    const bool adds = forward == ascending;
    Bound bound;
    if (by.type() == Type::Duration) {
        bound.value = temporalAdd(x, adds ? by.integer() : -by.integer(), by.unit());
    } else {
        bound.value = applyBinary(adds ? Operator::Add : Operator::Sub, x, by);
    }
    // Sums beyond the end of the type or the day wrap around to its other end. Distances are literals, without a sign.
    const bool cameRound = bound.value.isNull() || goesRoundTheClock(x.type(), by) ||
                           isTrue(applyBinary(adds ? Operator::Lt : Operator::Gt, bound.value, x));
    if (cameRound) bound.beyond = adds ? 1 : -1;
    return bound;
}

// Finds the ends of frames that are given by values of the one order key. Bounds ascend with the rows of a group, so
// that the search goes on from the end before.
class RangeEnd {
public:
    RangeEnd(const OrderKey& key, const Value& distance, bool forward, bool isLow)
        : key_(key),
          distance_(distance),
          forward_(forward),
          isLow_(isLow),
          nullsFirst_(key.nullsGiven ? key.nullsFirst : key.ascending) {}

    void startGroup(int32_t begin) { groupBegin_ = reached_ = begin; }
    // Returns the end for peers, rows [begin, end) of a group whose last row is before groupEnd.
    int32_t of(int32_t begin, int32_t end, int32_t groupEnd) {
        const Value x = key_.column.at(begin);
        // Only NULL is at any distance from NULL.
        if (x.isNull()) return isLow_ ? begin : end;
        const Bound bound = moved(x, distance_, forward_, key_.ascending);
        // No value is before NaN, which stands behind all others.
        if (isFloating(bound.value.type()) && std::isnan(bound.value.asDouble())) reached_ = groupBegin_;
        // Doubling steps, and halving in the last.
        int32_t low = reached_, step = 1;
        while (low + step <= groupEnd && isBefore(low + step - 1, bound)) {
            low += step;
            step *= 2;
        }
        int32_t high = std::min(groupEnd, low + step - 1);
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (isBefore(middle, bound)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return reached_ = low;
    }

private:
    // Whether a row is before the bound, in the order of the window.
    bool isBefore(int32_t row, const Bound& bound) const {
        const Value item = key_.column.at(row);
        if (item.isNull()) return nullsFirst_;
        if (bound.beyond != 0) return (bound.beyond > 0) == key_.ascending;
        const Operator op =
            key_.ascending ? (isLow_ ? Operator::Lt : Operator::Le) : (isLow_ ? Operator::Gt : Operator::Ge);
        return isTrue(applyBinary(op, item, bound.value));
    }

    const OrderKey& key_;
    const Value& distance_;
    bool forward_, isLow_, nullsFirst_;
    int32_t groupBegin_ = 0, reached_ = 0;
};

// Calls f(begin, end, groupBegin, groupEnd) for all peers.
template <class F>
void forEachPeers(const WindowRows& rows, const F& f) {
    size_t group = 0;
    for (size_t p = 0; p + 1 < rows.peerBegin.size(); ++p) {
        const int32_t begin = rows.peerBegin[p];
        while (rows.groupBegin[group + 1] <= begin) ++group;
        f(begin, rows.peerBegin[p + 1], rows.groupBegin[group], rows.groupBegin[group + 1]);
    }
}

void rangeFrames(const BoundWindow& window, const WindowRows& rows, std::span<const OrderKey> order,
                 std::vector<RowSpan>& frames) {
    const Window& node = *window.node;
    if ((node.lowOffset || node.highOffset) && order.size() != 1)
        throw UserError("A range with a distance needs order by one column.");
    const OrderKey none{Value()};
    const OrderKey& key = order.empty() ? none : order[0];
    RangeEnd low(key, window.low, node.low == FrameBound::Following, true);
    RangeEnd high(key, window.high, node.high == FrameBound::Following, false);
    int32_t steps = 0, group = -1;
    forEachPeers(rows, [&](int32_t begin, int32_t end, int32_t groupBegin, int32_t groupEnd) {
        if ((++steps & 1023) == 0) checkCancelled();
        if (groupBegin != group) {
            group = groupBegin;
            low.startGroup(groupBegin);
            high.startGroup(groupBegin);
        }
        RowSpan frame;
        switch (node.low) {
            case FrameBound::UnboundedPreceding:
                frame.begin = groupBegin;
                break;
            case FrameBound::CurrentRow:
                frame.begin = begin;
                break;
            default:
                frame.begin = low.of(begin, end, groupEnd);
        }
        switch (node.high) {
            case FrameBound::UnboundedFollowing:
                frame.end = groupEnd;
                break;
            case FrameBound::CurrentRow:
                frame.end = end;
                break;
            default:
                frame.end = high.of(begin, end, groupEnd);
        }
        // A frame that would end before it begins is empty.
        frame.end = std::max(frame.begin, frame.end);
        std::fill(frames.begin() + begin, frames.begin() + end, frame);
    });
}

// Returns row i shifted by a distance that may be larger than any number of rows.
int64_t movedRow(int64_t i, int64_t distance) {
    int64_t row = 0;
    if (__builtin_add_overflow(i, distance, &row)) return distance > 0 ? INT64_MAX : INT64_MIN;
    return row;
}

void rowsFrames(const BoundWindow& window, const WindowRows& rows, std::vector<RowSpan>& frames) {
    const Window& node = *window.node;
    const auto at = [](FrameBound bound, int64_t n, int64_t i, int64_t begin, int64_t end) -> int64_t {
        switch (bound) {
            case FrameBound::UnboundedPreceding:
                return begin;
            case FrameBound::Preceding:
                return n == INT64_MIN ? INT64_MAX : movedRow(i, -n);
            case FrameBound::CurrentRow:
                return i;
            case FrameBound::Following:
                return movedRow(i, n);
            default:
                return end - 1;
        }
    };
    for (size_t g = 0; g < rows.groupCount(); ++g) {
        const int64_t begin = rows.groupBegin[g], end = rows.groupBegin[g + 1];
        for (int64_t i = begin; i < end; ++i) {
            const int64_t first = std::clamp(at(node.low, window.lowRows, i, begin, end), begin, end);
            const int64_t last = std::clamp(movedRow(at(node.high, window.highRows, i, begin, end), 1), first, end);
            frames[static_cast<size_t>(i)] = {static_cast<int32_t>(first), static_cast<int32_t>(last)};
        }
    }
}

// Frames whose distances count peers.
void groupsFrames(const BoundWindow& window, const WindowRows& rows, std::vector<RowSpan>& frames) {
    const Window& node = *window.node;
    const std::vector<int32_t>& peers = rows.peerBegin;
    int64_t first = 0;  // the first peers of the group
    for (size_t g = 0; g < rows.groupCount(); ++g) {
        int64_t end = first;
        while (peers[static_cast<size_t>(end)] < rows.groupBegin[g + 1]) ++end;
        for (int64_t p = first; p < end; ++p) {
            // The peers with which a frame begins, or that it ends with.
            const auto at = [&](FrameBound bound, int64_t n) {
                if (bound == FrameBound::UnboundedPreceding) return first;
                if (bound == FrameBound::UnboundedFollowing) return end - 1;
                if (bound == FrameBound::CurrentRow) return p;
                return movedRow(p, bound == FrameBound::Following ? n : n == INT64_MIN ? INT64_MAX : -n);
            };
            const int64_t low = std::clamp(at(node.low, window.lowRows), first, end);
            const int64_t high = std::clamp(movedRow(at(node.high, window.highRows), 1), low, end);
            const RowSpan frame{peers[static_cast<size_t>(low)], peers[static_cast<size_t>(high)]};
            std::fill(frames.begin() + peers[static_cast<size_t>(p)],
                      frames.begin() + peers[static_cast<size_t>(p) + 1], frame);
        }
        first = end;
    }
}

}  // namespace

void findPeers(WindowRows& rows, std::span<const OrderKey> order) {
    rows.peerBegin.assign(rows.groupBegin.begin(), rows.groupBegin.end());
    if (order.empty() || rows.count() == 0) return;
    std::vector<char> begins(static_cast<size_t>(rows.count()), 0);
    for (const int32_t begin : rows.groupBegin.first(rows.groupCount())) begins[static_cast<size_t>(begin)] = 1;
    for (const OrderKey& key : order) markChanges(key.column, rows.count(), begins.data());
    rows.peerBegin.clear();
    for (int32_t i = 0; i < rows.count(); ++i) {
        if (begins[static_cast<size_t>(i)]) rows.peerBegin.push_back(i);
    }
    rows.peerBegin.push_back(rows.count());
}

std::vector<RowSpan> framesOf(const BoundWindow& window, const WindowRows& rows, std::span<const OrderKey> order) {
    std::vector<RowSpan> frames(static_cast<size_t>(rows.count()));
    if (window.node->hasFrame) {
        switch (window.node->unit) {
            case FrameUnit::Rows:
                rowsFrames(window, rows, frames);
                break;
            case FrameUnit::Range:
                rangeFrames(window, rows, order, frames);
                break;
            case FrameUnit::Groups:
                groupsFrames(window, rows, frames);
        }
        return frames;
    }
    if (window.isOrdered()) {
        forEachPeers(rows, [&](int32_t begin, int32_t end, int32_t groupBegin, int32_t) {
            std::fill(frames.begin() + begin, frames.begin() + end, RowSpan{groupBegin, end});
        });
        return frames;
    }
    for (size_t g = 0; g < rows.groupCount(); ++g) {
        const RowSpan whole{rows.groupBegin[g], rows.groupBegin[g + 1]};
        std::fill(frames.begin() + whole.begin, frames.begin() + whole.end, whole);
    }
    return frames;
}

std::vector<FrameParts> withoutExcluded(const BoundWindow& window, const WindowRows& rows,
                                        std::span<const RowSpan> frames) {
    std::vector<FrameParts> result(frames.size());
    const FrameExclusion exclusion = window.node->exclusion;
    size_t peers = 0;
    for (int32_t i = 0; i < rows.count(); ++i) {
        RowSpan out{i, i + 1};
        if (exclusion > FrameExclusion::CurrentRow) {
            while (rows.peerBegin[peers + 1] <= i) ++peers;
            out = {rows.peerBegin[peers], rows.peerBegin[peers + 1]};
        }
        const RowSpan frame = frames[static_cast<size_t>(i)];
        FrameParts& parts = result[static_cast<size_t>(i)];
        parts[0] = {frame.begin, std::clamp(out.begin, frame.begin, frame.end)};
        parts[2] = {std::clamp(out.end, frame.begin, frame.end), frame.end};
        const bool staysHere = exclusion == FrameExclusion::Ties && frame.begin <= i && i < frame.end;
        parts[1] = staysHere ? RowSpan{i, i + 1} : RowSpan{parts[0].end, parts[0].end};
    }
    return result;
}

}  // namespace pelorus
