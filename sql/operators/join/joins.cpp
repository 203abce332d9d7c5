#include "sql/operators/join/joins.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "common/thread/cancellation.h"
#include "sql/keys/join_key_range.h"
#include "sql/keys/join_keys.h"
#include "sql/keys/key_filter.h"
#include "sql/keys/row_pieces.h"
#include "sql/operators/join/joined_rows.h"

namespace pelorus {

namespace {

// Returns the number of pairs before each piece of the left rows, and in all: count(begin, end) counts those of a
// piece.
template <class Count>
std::vector<size_t> countPairs(int64_t leftRows, const Count& count) {
    std::vector<size_t> firstPair(static_cast<size_t>(pieceCount(leftRows)) + 1, 0);
    forEachPiece(leftRows, [&](int64_t begin, int64_t end) {
        firstPair[static_cast<size_t>(begin / kPieceRows) + 1] = count(begin, end);
    });
    for (size_t p = 1; p < firstPair.size(); ++p) firstPair[p] += firstPair[p - 1];
    if (firstPair.back() > INT32_MAX) {
        throw UserError(fmt::format("The join would have {} rows; the most is 2147483647.", firstPair.back()),
                        "Join on more columns, or aggregate one side first.");
    }
    return firstPair;
}

// Calls write(begin, end, at), which writes the pairs of a piece from `at` on.
template <class Write>
void writePairs(int64_t leftRows, const std::vector<size_t>& firstPair, RowPairs& pairs, const Write& write) {
    CHECK(std::ssize(firstPair) == pieceCount(leftRows) + 1) << "each piece of the left rows was counted";
    pairs.left.rows.resize(firstPair.back());
    pairs.right.rows.resize(firstPair.back());
    forEachPiece(leftRows, [&](int64_t begin, int64_t end) {
        write(begin, end, firstPair[static_cast<size_t>(begin / kPieceRows)]);
    });
}

// Direct-address table over the range of the keys, to the right row of each key, if keys are unique.
template <class T>
class RowOfKey {
public:
    RowOfKey(T low, int64_t width) : low_(low), rows_(static_cast<size_t>(width), -1) {}

    // Returns false for a duplicate key. NULL and `none` are no keys.
    bool add(const T* keys, int64_t count, T none) {
        for (int64_t i = 0; i < count; ++i) {
            if (isNull(keys[i]) || keys[i] == none) continue;
            int32_t& row = rows_[placeOf(keys[i])];
            if (row >= 0) return false;
            row = static_cast<int32_t>(i);
        }
        return true;
    }
    int32_t operator()(T key) const {
        const size_t place = placeOf(key);  // NULL's is far outside
        return place < rows_.size() ? rows_[place] : -1;
    }

private:
    size_t placeOf(T key) const {
        return static_cast<uint64_t>(static_cast<int64_t>(key)) - static_cast<uint64_t>(static_cast<int64_t>(low_));
    }

    const T low_;
    std::vector<int32_t> rows_;
};

template <class T>
RowPairs pairsWithOne(const T* left, int64_t leftRows, const RowOfKey<T>& rowOf, bool keepLeft) {
    RowPairs pairs;
    const auto writeRight = [&](int64_t begin, int64_t end) {
        int32_t* out = pairs.right.rows.data();
        for (int64_t i = begin; i < end; ++i) out[i] = rowOf(left[i]);
    };
    const auto count = [&](int64_t begin, int64_t end) {
        size_t found = 0;
        for (int64_t i = begin; i < end; ++i) found += rowOf(left[i]) >= 0;
        return found;
    };
    const auto write = [&](int64_t begin, int64_t end, size_t at) {
        for (int64_t i = begin; i < end; ++i) {
            const int32_t row = rowOf(left[i]);
            if (row < 0) continue;
            pairs.left.rows[at] = static_cast<int32_t>(i);
            pairs.right.rows[at++] = row;
        }
    };
    std::vector<size_t> firstPair;
    if (!keepLeft) firstPair = countPairs(leftRows, count);
    if (keepLeft || firstPair.back() == static_cast<size_t>(leftRows)) {
        pairs.left.all = true;
        pairs.right.rows.resize(static_cast<size_t>(leftRows));
        forEachPiece(leftRows, writeRight);
    } else {
        writePairs(leftRows, firstPair, pairs, write);
    }
    CHECK(pairs.left.all || pairs.left.rows.size() == pairs.right.rows.size()) << "a pair has two rows";
    return pairs;
}

template <class T>
std::optional<RowPairs> pairsByRange(const Vector& left, const Vector& right, bool keepLeft) {
    const ValueRange<T> range = rangeOf<T>(right, NullValues::Skip);
    const auto widest = static_cast<uint64_t>(std::max<int64_t>(int64_t{1} << 16, 4 * (left.size() + right.size())));
    const uint64_t steps = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low);
    if (range.isEmpty() || steps >= widest) return std::nullopt;
    RowOfKey<T> rowOf(range.low, static_cast<int64_t>(steps) + 1);
    const T none = right.type() == Type::Symbol ? T{0} : null<T>;
    if (!rowOf.add(right.data<T>(), right.size(), none)) return std::nullopt;
    return pairsWithOne(left.data<T>(), left.size(), rowOf, keepLeft);
}

// Joins by one key of integers, times or symbols in a narrow range, none of them twice on the right. Nothing for
// others.
std::optional<RowPairs> pairsByRange(const Vector& left, const Vector& right, bool keepLeft) {
    if (isDecimal(left.type())) return std::nullopt;
    switch (storageOf(left.type())) {
        case Storage::Int8:
            return pairsByRange<int8_t>(left, right, keepLeft);
        case Storage::Int16:
            return pairsByRange<int16_t>(left, right, keepLeft);
        case Storage::Int32:
            return pairsByRange<int32_t>(left, right, keepLeft);
        case Storage::Int64:
            return pairsByRange<int64_t>(left, right, keepLeft);
        default:
            return std::nullopt;
    }
}

enum class Matches : uint8_t { All, First };

RowPairs pairsByNumber(const RowNumbers& leftGroups, const RowNumbers& rightGroups, int64_t groups, bool keepLeft,
                       Matches matches) {
    const auto leftRows = static_cast<int64_t>(leftGroups.size());
    if (rightGroups.size() <= leftGroups.size()) {
        RowOfKey<int32_t> rowOf(0, groups);
        if (rowOf.add(rightGroups.data(), static_cast<int64_t>(rightGroups.size()), -1))
            return pairsWithOne(leftGroups.data(), leftRows, rowOf, keepLeft);
    }
    RowPairs pairs;
    const GroupRows right = rowsByGroup(rightGroups, groups);
    auto partners = [&](int32_t g) -> std::pair<int32_t, int32_t> {
        if (g < 0) return {0, 0};
        const int32_t begin = right.begin[static_cast<size_t>(g)], end = right.begin[static_cast<size_t>(g) + 1];
        return {begin, matches == Matches::First ? std::min(end, begin + 1) : end};
    };
    const auto count = [&](int64_t begin, int64_t end) {
        size_t count = 0;
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            const auto [first, last] = partners(leftGroups[i]);
            count += first == last ? keepLeft : static_cast<size_t>(last - first);
        }
        return count;
    };
    const auto write = [&](int64_t begin, int64_t end, size_t at) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            const auto [first, last] = partners(leftGroups[i]);
            for (int32_t r = first; r < last; ++r, ++at) {
                pairs.left.rows[at] = static_cast<int32_t>(i);
                pairs.right.rows[at] = right.rows[static_cast<size_t>(r)];
            }
            if (first == last && keepLeft) {
                pairs.left.rows[at] = static_cast<int32_t>(i);
                pairs.right.rows[at++] = -1;
            }
        }
        CHECK(at <= pairs.left.rows.size()) << "a piece writes the pairs that it counted";
    };
    writePairs(leftRows, countPairs(leftRows, count), pairs, write);
    return pairs;
}

void exclude(const std::vector<char>& mask, RowNumbers& groups) {
    CHECK(mask.empty() || mask.size() == groups.size()) << "a condition on one side of a join has a value for each row";
    for (size_t i = 0; i < mask.size(); ++i) {
        if (!mask[i]) groups[i] = -1;
    }
}

// Pairs are in the order of the rows of the left side, which in a right join is the right table.
RowPairs pairsOf(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys, const JoinMasks& masks,
                 JoinKind kind) {
    const bool keepLeft = kind != JoinKind::Inner, isSwapped = kind == JoinKind::Right;
    if (keys.left.size() == 1 && masks.left.empty() && masks.right.empty()) {
        auto [l, r] =
            comparable(keyColumn(left, keys.left[0], "left"), keyColumn(right, keys.right[0], "right"), keys.left[0]);
        if (isSwapped) std::swap(l, r);
        if (std::optional<RowPairs> pairs = pairsByRange(l.vector(), r.vector(), keepLeft)) return *std::move(pairs);
    }
    NumberedKeys numbers = numberKeys(left, right, keys, keys.left.size());
    exclude(masks.left, numbers.left);
    exclude(masks.right, numbers.right);
    if (isSwapped) std::swap(numbers.left, numbers.right);
    return pairsByNumber(numbers.left, numbers.right, numbers.groups, keepLeft,
                         kind == JoinKind::LeftSemi ? Matches::First : Matches::All);
}

// Adds the unmatched right rows.
void addOthers(RowPairs& pairs, int64_t rightRows) {
    RowNumbers& left = pairs.left.rows;
    if (pairs.left.all) {
        left.resize(pairs.right.rows.size());
        std::iota(left.begin(), left.end(), 0);
        pairs.left.all = false;
    }
    std::vector<char> matched(static_cast<size_t>(rightRows), 0);
    for (int32_t r : pairs.right.rows) {
        if (r >= 0) matched[static_cast<size_t>(r)] = 1;
    }
    for (size_t r = 0; r < matched.size(); ++r) {
        if (matched[r]) continue;
        left.push_back(-1);
        pairs.right.rows.push_back(static_cast<int32_t>(r));
    }
}

}  // namespace

namespace {

// Returns the positions of the rows of `many` whose every key may occur in `few`; nothing where all may.
std::optional<std::vector<int32_t>> rowsThatMayMatch(const std::vector<Value>& many, const std::vector<Value>& few) {
    std::optional<std::vector<int32_t>> chosen;
    for (size_t k = 0; k < many.size(); ++k) {
        const Value rows = chosen ? gatherElements(many[k], chosen->data(), std::ssize(*chosen)) : many[k];
        std::optional<std::vector<int32_t>> found = rowsWithKeyAmong(rows.vector(), few[k].vector());
        if (!found) continue;
        if (chosen) {
            for (int32_t& row : *found) row = (*chosen)[static_cast<size_t>(row)];
        }
        chosen = std::move(found);
    }
    return chosen;
}

// Joins a large side with a small one: only rows of the large side whose keys may occur in the small one are numbered.
RowPairs pairsWithFew(std::vector<Value> many, const std::vector<Value>& few) {
    const std::optional<std::vector<int32_t>> chosen = rowsThatMayMatch(many, few);
    MemoryTable left, right;
    JoinColumns keys;
    for (size_t k = 0; k < many.size(); ++k) {
        const std::string name = "key" + std::to_string(k);
        if (chosen) many[k] = gatherElements(many[k], chosen->data(), std::ssize(*chosen));
        left.setColumn(name, many[k]);
        right.setColumn(name, few[k]);
        keys.left.push_back(name);
        keys.right.push_back(name);
    }
    RowPairs pairs = pairsOf(left, right, keys, {}, JoinKind::Inner);
    if (!chosen) return pairs;
    if (pairs.left.all) {
        pairs.left.all = false;
        pairs.left.rows.assign(chosen->begin(), chosen->end());
    } else {
        for (int32_t& row : pairs.left.rows) row = (*chosen)[static_cast<size_t>(row)];
    }
    return pairs;
}

RowPairs swapped(RowPairs pairs) {
    std::swap(pairs.left, pairs.right);
    return pairs;
}

}  // namespace

RowPairs equiPairs(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys) {
    std::vector<Value> lefts, rights;
    for (size_t k = 0; k < keys.left.size(); ++k) {
        auto [a, b] =
            comparable(keyColumn(left, keys.left[k], "left"), keyColumn(right, keys.right[k], "right"), keys.left[k]);
        lefts.push_back(std::move(a));
        rights.push_back(std::move(b));
    }
    if (lefts.size() == 1) {
        if (auto pairs = pairsByRange(lefts[0].vector(), rights[0].vector(), false)) return *std::move(pairs);
        if (auto pairs = pairsByRange(rights[0].vector(), lefts[0].vector(), false)) return swapped(*std::move(pairs));
    }
    const bool isLeftSmaller = left.rowCount() < right.rowCount();
    return isLeftSmaller ? swapped(pairsWithFew(std::move(rights), lefts)) : pairsWithFew(std::move(lefts), rights);
}

SideRows firstPartners(const MemoryTable& left, const MemoryTable& right, const JoinColumns& keys) {
    return pairsOf(left, right, keys, {}, JoinKind::LeftSemi).right;
}

Ref<JoinedRows> equiJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinColumns& keys,
                         JoinKind kind, const JoinedColumns& shown, const JoinMasks& masks) {
    RowPairs pairs = pairsOf(*left, *right, keys, masks, kind);
    LeftOutColumns leftOut;
    if (kind == JoinKind::Right) {
        std::swap(pairs.left, pairs.right);
        leftOut.left = keys.left;
    } else if (kind == JoinKind::Full) {  // which keeps the right keys, under the right table's name
        addOthers(pairs, right->rowCount());
    } else {
        leftOut.right = keys.right;
    }
    return makeRef<MatchedRows>(left, right, std::move(pairs.left), std::move(pairs.right), leftOut, shown);
}

Ref<JoinedRows> prefixJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinColumns& keys,
                           const JoinedColumns& shown) {
    if (keys.left.size() != 1) throw UserError("A prefix join matches one column.");
    const Value& strings = keyColumn(*left, keys.left[0], "left");
    const Value& prefixes = keyColumn(*right, keys.right[0], "right");
    if (!isLiteral(strings.type()) || !isLiteral(prefixes.type())) {
        throw UserError("A prefix join matches columns of STRING or SYMBOL.");
    }
    SideRows leftRows, rightRows;
    for (int64_t l = 0; l < strings.size(); ++l) {
        checkCancelled();
        const std::string_view string = strings.vector().string(l);
        for (int64_t r = 0; r < prefixes.size(); ++r) {
            const std::string_view prefix = prefixes.vector().string(r);
            if (prefix.empty() || !string.starts_with(prefix)) continue;
            leftRows.rows.push_back(static_cast<int32_t>(l));
            rightRows.rows.push_back(static_cast<int32_t>(r));
        }
    }
    return makeRef<MatchedRows>(left, right, std::move(leftRows), std::move(rightRows), LeftOutColumns{}, shown);
}

}  // namespace pelorus
