#include "sql/operators/join/joins.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "common/cancellation.h"
#include "common/error.h"
#include "sql/operators/context/row_pieces.h"
#include "sql/operators/join/join_keys.h"

namespace pelorus {

namespace {

// Pairs of rows with equal keys, in the order of the left rows; with `keepLeft` also left rows without a partner.
struct RowPairs {
    std::vector<int32_t> left, right;
    bool allLeft = false;  // each left row is there once: `left` is not filled
};

enum class Matches : uint8_t { All, First };

// When no key is there twice on the right, and every left row gives one row.
bool pairsOneToOne(const std::vector<int32_t>& leftGroups, const std::vector<int32_t>& rightGroups, int64_t groups,
                   bool keepLeft, RowPairs& pairs) {
    std::vector<int32_t> rowOf(static_cast<size_t>(groups), -1);
    for (size_t r = 0; r < rightGroups.size(); ++r) {
        if (rightGroups[r] < 0) continue;
        int32_t& row = rowOf[static_cast<size_t>(rightGroups[r])];
        if (row >= 0) return false;
        row = static_cast<int32_t>(r);
    }
    pairs.right.resize(leftGroups.size());
    std::atomic<bool> complete{true};
    forEachPiece(static_cast<int64_t>(leftGroups.size()), [&](int64_t begin, int64_t end) {
        bool found = true;
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            const int32_t g = leftGroups[i];
            const int32_t row = g < 0 ? -1 : rowOf[static_cast<size_t>(g)];
            pairs.right[i] = row;
            found &= row >= 0;
        }
        if (!found) complete.store(false, std::memory_order_relaxed);
    });
    pairs.allLeft = keepLeft || complete;
    if (pairs.allLeft) return true;
    size_t count = 0;
    for (size_t i = 0; i < leftGroups.size(); ++i) {
        if (pairs.right[i] < 0) continue;
        pairs.left.push_back(static_cast<int32_t>(i));
        pairs.right[count++] = pairs.right[i];
    }
    pairs.right.resize(count);
    return true;
}

RowPairs pairsOf(const std::vector<int32_t>& leftGroups, const std::vector<int32_t>& rightGroups, int64_t groups,
                 bool keepLeft, Matches matches) {
    RowPairs pairs;
    if (rightGroups.size() <= leftGroups.size() && pairsOneToOne(leftGroups, rightGroups, groups, keepLeft, pairs)) {
        return pairs;
    }
    const GroupRows right = rowsByGroup(rightGroups, groups);
    auto partners = [&](int32_t g) -> std::pair<int32_t, int32_t> {
        if (g < 0) return {0, 0};
        const int32_t begin = right.begin[static_cast<size_t>(g)], end = right.begin[static_cast<size_t>(g) + 1];
        return {begin, matches == Matches::First ? std::min(end, begin + 1) : end};
    };
    // Each piece of the left rows is counted first, so that all know where to write.
    const auto leftRows = static_cast<int64_t>(leftGroups.size());
    std::vector<size_t> firstPair(static_cast<size_t>(pieceCount(leftRows)) + 1, 0);
    forEachPiece(leftRows, [&](int64_t begin, int64_t end) {
        size_t count = 0;
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            const auto [first, last] = partners(leftGroups[i]);
            count += first == last ? keepLeft : static_cast<size_t>(last - first);
        }
        firstPair[static_cast<size_t>(begin / kPieceRows) + 1] = count;
    });
    for (size_t p = 1; p < firstPair.size(); ++p) firstPair[p] += firstPair[p - 1];
    if (firstPair.back() > INT32_MAX) {
        throw UserError(fmt::format("The join would have {} rows; the most is 2147483647.", firstPair.back()),
                        "Join on more columns, or aggregate one side first.");
    }
    pairs.left.resize(firstPair.back());
    pairs.right.resize(firstPair.back());
    forEachPiece(leftRows, [&](int64_t begin, int64_t end) {
        size_t at = firstPair[static_cast<size_t>(begin / kPieceRows)];
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            const auto [first, last] = partners(leftGroups[i]);
            for (int32_t r = first; r < last; ++r, ++at) {
                pairs.left[at] = static_cast<int32_t>(i);
                pairs.right[at] = right.rows[static_cast<size_t>(r)];
            }
            if (first == last && keepLeft) {
                pairs.left[at] = static_cast<int32_t>(i);
                pairs.right[at++] = -1;
            }
        }
    });
    return pairs;
}

void exclude(const std::vector<char>& mask, std::vector<int32_t>& groups) {
    for (size_t i = 0; i < mask.size(); ++i) {
        if (!mask[i]) groups[i] = -1;
    }
}

// Row numbers of all left rows, where they are needed one by one.
void writeOutLeft(RowPairs& pairs) {
    if (!pairs.allLeft) return;
    pairs.left.resize(pairs.right.size());
    for (size_t i = 0; i < pairs.left.size(); ++i) pairs.left[i] = static_cast<int32_t>(i);
    pairs.allLeft = false;
}

}  // namespace

std::string joinedName(const std::string& column, const std::string& rightName, bool isTaken) {
    return isTaken ? (rightName.empty() ? "right" : rightName) + "_" + column : column;
}

Ref<MemoryTable> equiJoin(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, JoinKind kind,
                          const JoinedColumns& shown, const JoinMasks& masks) {
    NumberedKeys numbers = numberKeys(left, right, keys, keys.left.size());
    exclude(masks.left, numbers.left);
    exclude(masks.right, numbers.right);
    if (kind == JoinKind::Right) {
        RowPairs pairs = pairsOf(numbers.right, numbers.left, numbers.groups, true, Matches::All);
        writeOutLeft(pairs);
        return combineRows(left, right, pairs.right, pairs.left, {keys.left, {}}, shown);
    }
    RowPairs pairs = pairsOf(numbers.left, numbers.right, numbers.groups, kind != JoinKind::Inner,
                             kind == JoinKind::LeftSemi ? Matches::First : Matches::All);
    const LeftOutColumns leftOut{{}, keys.right};
    if (kind != JoinKind::Full) {
        return pairs.allLeft ? combineAllLeft(left, right, pairs.right, leftOut, shown)
                             : combineRows(left, right, pairs.left, pairs.right, leftOut, shown);
    }
    writeOutLeft(pairs);
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
    return combineRows(left, right, pairs.left, pairs.right, {}, shown);
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
        checkCancelled();
        const std::string_view text = texts.vector().text(l);
        for (int64_t r = 0; r < prefixes.size(); ++r) {
            const std::string_view prefix = prefixes.vector().text(r);
            if (prefix.empty() || !text.starts_with(prefix)) continue;
            leftRows.push_back(static_cast<int32_t>(l));
            rightRows.push_back(static_cast<int32_t>(r));
        }
    }
    return combineRows(left, right, leftRows, rightRows, {}, shown);
}

}  // namespace pelorus
