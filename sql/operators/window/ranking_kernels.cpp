// Window functions that return a row's place in its group, or the value of another row.
#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"
#include "sql/operators/window/window_kernels.h"

namespace pelorus {

namespace {

// Calls f(group, begin, end) for each group.
template <class F>
void forEachGroup(const WindowRows& rows, const F& f) {
    for (size_t g = 0; g < rows.groupCount(); ++g) f(g, rows.groupBegin[g], rows.groupBegin[g + 1]);
}

// Calls f(group, begin, end, number) for all peers, with their number in the group from 0 on.
template <class F>
void forEachPeers(const WindowRows& rows, const F& f) {
    size_t group = 0;
    int64_t number = 0;
    for (size_t p = 0; p + 1 < rows.peerBegin.size(); ++p, ++number) {
        const int32_t begin = rows.peerBegin[p];
        while (rows.groupBegin[group + 1] <= begin) ++group;
        if (rows.groupBegin[group] == begin) number = 0;
        f(group, begin, rows.peerBegin[p + 1], number);
    }
}

void writeTiles(const WindowRows& rows, int64_t tiles, int32_t* out) {
    forEachGroup(rows, [&](size_t group, int32_t begin, int32_t end) {
        const int64_t total = rows.rowsOfGroup(group), size = total / tiles, larger = total % tiles;
        const int64_t inLarger = larger * (size + 1);
        for (int32_t row = begin; row < end; ++row) {
            const int64_t i = rows.before + row - begin;
            const int64_t tile = i < inLarger ? i / (size + 1) : larger + (i - inLarger) / std::max<int64_t>(size, 1);
            out[row] = static_cast<int32_t>(tile + 1);
        }
    });
}

Value shares(const BoundWindow& window, const WindowRows& rows) {
    Ref<Vector> result = Vector::make(Type::Double, rows.count());
    double* const out = result->mutableData<double>();
    const bool isPercent = window.kind == BoundWindow::Kind::PercentRank, isOrdered = window.isOrdered();
    forEachPeers(rows, [&](size_t group, int32_t begin, int32_t end, int64_t) {
        const int64_t first = rows.groupBegin[group];
        const auto total = static_cast<double>(rows.rowsOfGroup(group));
        const auto rank = static_cast<double>(isOrdered ? rows.before + begin - first : 0);
        const double upTo = isOrdered ? static_cast<double>(rows.before + end - first) : total;
        std::fill(out + begin, out + end, isPercent ? (total > 1 ? rank / (total - 1) : 0) : upTo / total);
    });
    return Value::of(result);
}

}  // namespace

Value rankingValues(const BoundWindow& window, const WindowRows& rows) {
    using Kind = BoundWindow::Kind;
    if (window.kind == Kind::PercentRank || window.kind == Kind::CumeDist) return shares(window, rows);
    Ref<Vector> result = Vector::make(Type::Int, rows.count());
    int32_t* const out = result->mutableData<int32_t>();
    const auto before = static_cast<int32_t>(rows.before);
    switch (window.kind) {
        case Kind::RowNumber:
            forEachGroup(rows, [&](size_t, int32_t begin, int32_t end) {
                for (int32_t i = begin; i < end; ++i) out[i] = before + i - begin + 1;
            });
            break;
        case Kind::Rank:
            forEachPeers(rows, [&](size_t group, int32_t begin, int32_t end, int64_t) {
                const int32_t rank = window.isOrdered() ? before + begin - rows.groupBegin[group] + 1 : 1;
                std::fill(out + begin, out + end, rank);
            });
            break;
        case Kind::DenseRank:
            forEachPeers(rows, [&](size_t, int32_t begin, int32_t end, int64_t number) {
                std::fill(out + begin, out + end, static_cast<int32_t>(rows.peersBefore + number + 1));
            });
            break;
        default:
            CHECK(window.kind == Kind::Ntile) << "a function of the order alone";
            writeTiles(rows, window.number, out);
    }
    result->setMayHaveNull(false);
    return Value::of(result);
}

void requireRows(const BoundWindow& window, const Value& argument, int64_t rows) {
    if (argument.size() == rows) return;
    throw UserError(fmt::format("{} takes one value per row, but its argument returns {} for {} rows.", window.name,
                                argument.size(), rows),
                    "Give it a column, or a function of each row.");
}

Value shiftedValues(const BoundWindow& window, const WindowRows& rows, const Value& argument) {
    requireRows(window, argument, rows.count());
    std::vector<int32_t> positions(static_cast<size_t>(rows.count()));
    // No group has more rows than that; and no sum with it overflows.
    const int64_t distance = std::clamp<int64_t>(window.number, -INT32_MAX, INT32_MAX);
    forEachGroup(rows, [&](size_t, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const int64_t at = i - distance;
            positions[static_cast<size_t>(i)] = at >= begin && at < end ? static_cast<int32_t>(at) : -1;
        }
    });
    Value result = gatherElements(argument, positions.data(), rows.count());
    if (window.whenMissing.isVoid()) return result;
    result.makeUnique();
    const Value filler = cast(window.whenMissing, result.type());
    for (int32_t i = 0; i < rows.count(); ++i) {
        if (positions[static_cast<size_t>(i)] < 0) result.vector().set(i, filler);
    }
    return result;
}

Value valuesInFrames(const BoundWindow& window, std::span<const RowSpan> frames, const Value& argument) {
    requireRows(window, argument, std::ssize(frames));
    std::vector<int32_t> positions(frames.size());
    const bool isLast = window.kind == BoundWindow::Kind::LastValue;
    const int64_t nth =
        window.kind == BoundWindow::Kind::NthValue ? std::clamp<int64_t>(window.number, 0, int64_t{1} << 32) : 1;
    for (size_t i = 0; i < positions.size(); ++i) {
        const RowSpan frame = frames[i];
        const int64_t at = isLast ? int64_t{frame.end} - 1 : frame.begin + nth - 1;
        positions[i] = at >= frame.begin && at < frame.end ? static_cast<int32_t>(at) : -1;
    }
    return gatherElements(argument, positions.data(), std::ssize(positions));
}

Value valuesInParts(const BoundWindow& window, std::span<const FrameParts> frames, const Value& argument) {
    requireRows(window, argument, std::ssize(frames));
    std::vector<int32_t> positions(frames.size());
    for (size_t i = 0; i < positions.size(); ++i) {
        int64_t skipped = 0;  // rows of the frame in front of the wanted one
        if (window.kind == BoundWindow::Kind::LastValue) skipped = rowsOf(frames[i]) - 1;
        if (window.kind == BoundWindow::Kind::NthValue) skipped = window.number - 1;
        positions[i] = -1;
        for (const RowSpan part : frames[i]) {
            const int32_t count = part.end - part.begin;
            if (skipped >= 0 && skipped < count) positions[i] = part.begin + static_cast<int32_t>(skipped);
            skipped -= count;
        }
    }
    return gatherElements(argument, positions.data(), std::ssize(positions));
}

Value rowsInParts(std::span<const FrameParts> frames) {
    Ref<Vector> result = Vector::make(Type::Int, std::ssize(frames));
    int32_t* const out = result->mutableData<int32_t>();
    for (size_t i = 0; i < frames.size(); ++i) out[i] = static_cast<int32_t>(rowsOf(frames[i]));
    result->setMayHaveNull(false);
    return Value::of(result);
}

Value rowsInFrames(std::span<const RowSpan> frames) {
    Ref<Vector> result = Vector::make(Type::Int, std::ssize(frames));
    int32_t* const out = result->mutableData<int32_t>();
    for (size_t i = 0; i < frames.size(); ++i) out[i] = frames[i].end - frames[i].begin;
    result->setMayHaveNull(false);
    return Value::of(result);
}

}  // namespace pelorus
