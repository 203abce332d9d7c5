// Join with the last right row that is not later (as-of), the first that is not earlier, or the nearest.
#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "sql/keys/join_keys.h"
#include "sql/keys/row_pieces.h"
#include "sql/operators/join/asof_tolerance.h"
#include "sql/operators/join/joined_rows.h"
#include "sql/operators/join/joins.h"

namespace pelorus {

namespace {

// The right row of each left one, or -1.
using Matches = RowNumbers;

// Keys of both sides that are compared.
struct AsofKeys {
    NumberedKeys numbers;
    Ref<Vector> leftTimes, rightTimes;
};

// Merges both sides in the order of time, once, with the last right row of each group so far.
Matches mergeBackward(const AsofKeys& keys) {
    const NumberedKeys& numbers = keys.numbers;
    const int64_t *left = keys.leftTimes->data<int64_t>(), *right = keys.rightTimes->data<int64_t>();
    std::vector<int32_t> last(static_cast<size_t>(numbers.groups), -1);
    Matches matches(numbers.left.size(), -1);
    const size_t rightCount = numbers.right.size();
    size_t r = 0;
    while (r < rightCount && isNull(right[r])) ++r;
    inPieces(static_cast<int64_t>(matches.size()), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            for (; r < rightCount && right[r] <= left[i]; ++r) {
                if (numbers.right[r] >= 0) last[static_cast<size_t>(numbers.right[r])] = static_cast<int32_t>(r);
            }
            if (numbers.left[i] >= 0 && !isNull(left[i])) matches[i] = last[static_cast<size_t>(numbers.left[i])];
        }
    });
    return matches;
}

// Merges from the end: the first right row of each group that is not earlier.
Matches mergeForward(const AsofKeys& keys) {
    const NumberedKeys& numbers = keys.numbers;
    const int64_t *left = keys.leftTimes->data<int64_t>(), *right = keys.rightTimes->data<int64_t>();
    std::vector<int32_t> first(static_cast<size_t>(numbers.groups), -1);
    Matches matches(numbers.left.size(), -1);
    size_t r = numbers.right.size();
    const size_t count = matches.size();
    inPieces(static_cast<int64_t>(count), [&](int64_t begin, int64_t end) {
        for (size_t i = count - static_cast<size_t>(begin); i-- > count - static_cast<size_t>(end);) {
            if (isNull(left[i])) return;  // NULLs are the first rows
            for (; r > 0 && right[r - 1] >= left[i]; --r) {
                const int32_t g = numbers.right[r - 1];
                if (g >= 0) first[static_cast<size_t>(g)] = static_cast<int32_t>(r - 1);
            }
            if (numbers.left[i] >= 0) matches[i] = first[static_cast<size_t>(numbers.left[i])];
        }
    });
    return matches;
}

// Binary search in the right rows of each group, in the order of time: one per left row.
class GroupSearch {
public:
    explicit GroupSearch(const AsofKeys& keys)
        : keys_(keys), rows_(rowsByGroupInOrder(keys.numbers, *keys.rightTimes)) {
        times_ = keys.rightTimes->gather(rows_.rows.data(), static_cast<int64_t>(rows_.rows.size()));
    }

    Matches backward() const {
        return forEachLeftRow([](const int64_t* begin, const int64_t* end, int64_t time) {
            const int64_t* after = std::upper_bound(begin, end, time);
            return after == begin || isNull(after[-1]) ? nullptr : after - 1;
        });
    }
    Matches forward() const {
        return forEachLeftRow([](const int64_t* begin, const int64_t* end, int64_t time) {
            const int64_t* first = std::lower_bound(begin, end, time);
            return first == end ? nullptr : first;
        });
    }

private:
    template <class Find>
    Matches forEachLeftRow(Find find) const {
        const RowNumbers& groups = keys_.numbers.left;
        const int64_t *left = keys_.leftTimes->data<int64_t>(), *right = times_->data<int64_t>();
        Matches matches(groups.size(), -1);
        constexpr size_t kPiece = size_t{1} << 15;
        parallelFor(static_cast<int64_t>((matches.size() + kPiece - 1) / kPiece), [&](int64_t piece) {
            const size_t begin = static_cast<size_t>(piece) * kPiece, end = std::min(matches.size(), begin + kPiece);
            for (size_t i = begin; i < end; ++i) {
                const auto g = static_cast<size_t>(groups[i]);
                if (groups[i] < 0 || isNull(left[i])) continue;
                const int64_t* found = find(right + rows_.begin[g], right + rows_.begin[g + 1], left[i]);
                if (found) matches[i] = rows_.rows[static_cast<size_t>(found - right)];
            }
        });
        return matches;
    }

    const AsofKeys& keys_;
    GroupRows rows_;
    Ref<Vector> times_;
};

void dropTooFar(const AsofKeys& keys, const AsofTolerance& tolerance, Matches& matches) {
    if (!tolerance.isBounded()) return;
    const int64_t *left = keys.leftTimes->data<int64_t>(), *right = keys.rightTimes->data<int64_t>();
    forEachPiece(static_cast<int64_t>(matches.size()), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            if (matches[i] >= 0 && !tolerance.allows(i, left[i], right[matches[i]])) matches[i] = -1;
        }
    });
}

// Takes the nearer one of the two matches of each row, the earlier when both are as near. Changes `earlier` into them.
void takeNearer(const AsofKeys& keys, Matches& earlier, const Matches& later) {
    const int64_t *left = keys.leftTimes->data<int64_t>(), *right = keys.rightTimes->data<int64_t>();
    forEachPiece(static_cast<int64_t>(earlier.size()), [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            if (later[i] < 0) continue;
            if (earlier[i] < 0 || AsofTolerance::distance(left[i], right[later[i]]) <
                                      AsofTolerance::distance(right[earlier[i]], left[i])) {
                earlier[i] = later[i];
            }
        }
    });
}

Matches matchesOf(const AsofKeys& keys, AsofDirection direction, const AsofTolerance& tolerance) {
    const bool wantsEarlier = direction != AsofDirection::Forward, wantsLater = direction != AsofDirection::Backward;
    Matches earlier, later;
    if (isAscending(*keys.rightTimes) && isAscending(*keys.leftTimes)) {
        parallelFor(2, [&](int64_t side) {
            if (side == 0 && wantsEarlier) earlier = mergeBackward(keys);
            if (side == 1 && wantsLater) later = mergeForward(keys);
        });
    } else {
        const GroupSearch search(keys);
        if (wantsEarlier) earlier = search.backward();
        if (wantsLater) later = search.forward();
    }
    // Applied before the nearer one is taken: a month before is not as far as a month after.
    dropTooFar(keys, tolerance, earlier);
    dropTooFar(keys, tolerance, later);
    if (direction == AsofDirection::Nearest) takeNearer(keys, earlier, later);
    return wantsEarlier ? earlier : later;
}

}  // namespace

ReadRange asofRange(const Value& left, const Value& right, const std::string& name) {
    const auto [leftTime, rightTime] = comparable(left, right, name);
    if (categoryOf(leftTime.type()) == Category::Binary) return {};
    const Ref<Vector> times = orderedKey(leftTime);
    return {times, times, orderedKey(rightTime)};
}

Ref<JoinedRows> asofJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinColumns& keys,
                         const AsofJoin& join, const JoinedColumns& shown) {
    const size_t last = keys.left.size() - 1;
    const std::string& name = keys.left[last];
    const auto [leftTime, rightTime] =
        comparable(keyColumn(*left, name, "left"), keyColumn(*right, keys.right[last], "right"), name);
    const auto [leftTimes, rightTimes] = orderedKeys(leftTime, rightTime);
    if (!join.tolerance.isNull() && categoryOf(leftTime.type()) == Category::Binary) {
        throw UserError(5,
                        fmt::format("The last key {} is {}: there is no distance.", name, typeName(leftTime.type())));
    }
    const AsofKeys compared{numberKeys(*left, *right, keys, last), leftTimes, rightTimes};
    CHECK(compared.leftTimes->size() == std::ssize(compared.numbers.left))
        << "each left row has a group and a last key";
    CHECK(compared.rightTimes->size() == std::ssize(compared.numbers.right))
        << "each right row has a group and a last key";
    SideRows matches{false, matchesOf(compared, join.direction, AsofTolerance(join.tolerance, leftTime, name))};
    // The right side's last key stays: it shows how old the match is.
    const LeftOutColumns leftOut{{}, {keys.right.begin(), keys.right.end() - 1}};
    return makeRef<MatchedRows>(left, right, SideRows{true, {}}, std::move(matches), leftOut, shown);
}

}  // namespace pelorus
