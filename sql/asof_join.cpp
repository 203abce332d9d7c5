// As-of join: the last right row that is not later. SQL-64.
#include <algorithm>

#include "common/thread_pool.h"
#include "sql/join_keys.h"
#include "sql/joins.h"

namespace pelorus {

namespace {

// Both sides in the order of time: one pass over them, with the last right row of each group so far.
std::vector<int32_t> mergeInOrder(const NumberedKeys& numbers, const Vector& leftTimes, const Vector& rightTimes) {
    const int64_t *left = leftTimes.items<int64_t>(), *right = rightTimes.items<int64_t>();
    std::vector<int32_t> last(static_cast<size_t>(numbers.groups), -1);
    std::vector<int32_t> matches(numbers.left.size(), -1);
    const size_t rightCount = numbers.right.size();
    size_t r = 0;
    while (r < rightCount && isNull(right[r])) ++r;
    for (size_t i = 0; i < matches.size(); ++i) {
        for (; r < rightCount && right[r] <= left[i]; ++r) {
            if (numbers.right[r] >= 0) last[static_cast<size_t>(numbers.right[r])] = static_cast<int32_t>(r);
        }
        if (numbers.left[i] >= 0 && !isNull(left[i])) matches[i] = last[static_cast<size_t>(numbers.left[i])];
    }
    return matches;
}

// Right rows in order within each group: a search per left row.
std::vector<int32_t> searchInGroups(const NumberedKeys& numbers, const Vector& leftTimes, const Vector& rightTimes) {
    const GroupRows rows = rowsByGroup(numbers.right, numbers.groups);
    const auto count = static_cast<int64_t>(rows.rows.size());
    const Ref<Vector> times = rightTimes.gather(rows.rows.data(), count);
    const int64_t *left = leftTimes.items<int64_t>(), *right = times->items<int64_t>();
    std::vector<int32_t> matches(numbers.left.size(), -1);
    constexpr size_t kPiece = size_t{1} << 15;
    parallelFor(static_cast<int64_t>((matches.size() + kPiece - 1) / kPiece), [&](int64_t piece) {
        const size_t begin = static_cast<size_t>(piece) * kPiece, end = std::min(matches.size(), begin + kPiece);
        for (size_t i = begin; i < end; ++i) {
            const int32_t g = numbers.left[i];
            if (g < 0 || isNull(left[i])) continue;
            const int64_t* first = right + rows.begin[static_cast<size_t>(g)];
            const int64_t* after = std::upper_bound(first, right + rows.begin[static_cast<size_t>(g) + 1], left[i]);
            if (after != first && !isNull(after[-1])) matches[i] = rows.rows[static_cast<size_t>(after - 1 - right)];
        }
    });
    return matches;
}

}  // namespace

Ref<MemoryTable> asofJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys,
                          const JoinedColumns& shown) {
    const size_t last = keys.left.size() - 1;
    const auto [leftTime, rightTime] = comparable(keyColumn(left, keys.left[last], "left"),
                                                  keyColumn(right, keys.right[last], "right"), keys.left[last]);
    const Ref<Vector> leftTimes = orderedKey(leftTime), rightTimes = orderedKey(rightTime);
    const NumberedKeys numbers = numberKeys(left, right, keys, last);
    const bool inOrder = isAscending(*rightTimes) && isAscending(*leftTimes);
    const std::vector<int32_t> matches =
        inOrder ? mergeInOrder(numbers, *leftTimes, *rightTimes) : searchInGroups(numbers, *leftTimes, *rightTimes);
    // The right side's last key stays: it tells how old the match is.
    return combineAllLeft(left, right, matches, {{}, {keys.right.begin(), keys.right.end() - 1}}, shown);
}

}  // namespace pelorus
