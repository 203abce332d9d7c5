#include "sql/operators/window/group_limit.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "common/thread/cancellation.h"
#include "common/thread/thread_pool.h"
#include "runtime/kernel/index/index.h"
#include "sql/keys/parted_rows.h"
#include "sql/keys/row_groups.h"

namespace pelorus {

namespace {

constexpr int64_t kFewestRows = int64_t{1} << 16;
constexpr int64_t kMinPiece = int64_t{1} << 21;  // each finds the bounds of all groups anew
constexpr int64_t kBlockRows = 4096;
// Min number of rows for each kept one: below, nearly all of them would be candidates.
constexpr int64_t kRowsForEach = 8;

// A row that was among the best of its group when it was met.
struct Candidate {
    uint64_t word;
    int32_t row;
    int32_t group;
};

// The best `count` words of each group so far, the worst of them first.
class Best {
public:
    Best(int64_t groups, int64_t count)
        : count_(static_cast<size_t>(count)), words_(static_cast<size_t>(groups) * count_, ~uint64_t{0}) {}

    // The word of the worst row that is kept: all words of a group that has fewer rows are within it.
    uint64_t bound(int32_t group) const { return words_[static_cast<size_t>(group) * count_]; }
    void add(int32_t group, uint64_t word) {
        uint64_t* best = &words_[static_cast<size_t>(group) * count_];
        size_t at = 1;
        for (; at < count_ && best[at] > word; ++at) best[at - 1] = best[at];
        best[at - 1] = word;
    }

private:
    size_t count_;
    std::vector<uint64_t> words_;
};

// Returns the first key of the order in which the wanted rows come first.
OrderKey leadingKey(std::span<const OrderKey> order, bool areLast) {
    OrderKey first = order[0];
    if (areLast) {  // the last rows in an order are the first in the reverse order
        first.ascending = !first.ascending;
        first.nullsFirst = !first.nullsFirst;
    }
    return first;
}

// Collects the rows that were among the best of their group when they were met, piece by piece of the rows. Each piece
// has bests of its own, so that candidates depend on the data alone.
class CandidateSearch {
public:
    CandidateSearch(const GroupNumbers& groups, std::span<const OrderKey> order, int64_t rows, int64_t limit)
        : groups_(groups),
          first_(leadingKey(order, limit < 0)),
          tiesCount_(order.size() > 1),
          isForward_(limit > 0),
          rows_(rows),
          each_(std::abs(limit)) {}

    // Returns ascending positions, or nothing where too many rows are candidates.
    std::optional<std::vector<int32_t>> found() {
        const int64_t pieceRows = std::max(kMinPiece, groups_.slots * each_ * 4 * kRowsForEach);
        const int64_t pieces = (rows_ + pieceRows - 1) / pieceRows;
        found_.resize(static_cast<size_t>(pieces));
        best_.assign(static_cast<size_t>(pieces), Best(groups_.slots, each_));
        parallelFor(pieces, [&](int64_t piece) {
            search(static_cast<size_t>(piece), piece * pieceRows, std::min(rows_, (piece + 1) * pieceRows));
        });
        if (!pays_) return std::nullopt;
        std::vector<int32_t> result = withinAllBounds();
        if (std::ssize(result) > rows_ / 2) return std::nullopt;
        std::sort(result.begin(), result.end());
        return result;
    }

private:
    void search(size_t piece, int64_t begin, int64_t end) {
        std::vector<Candidate>& candidates = found_[piece];
        Best& own = best_[piece];
        uint64_t words[kBlockRows];
        int32_t numbers[kBlockRows];
        for (int64_t done = begin; done < end; done += kBlockRows) {
            checkCancelled();
            // Rows in the opposite order, or many equal ones, would each become a candidate.
            if (static_cast<int64_t>(candidates.size()) > (end - begin) / 4) pays_ = false;
            if (!pays_) return;
            const int64_t length = std::min(kBlockRows, end - done);
            const int64_t from = isForward_ ? done : begin + end - done - length;
            orderingWords(first_, from, length, words);
            groups_.write(from, length, numbers);
            for (int64_t step = 0; step < length; ++step) {
                const int64_t i = isForward_ ? step : length - 1 - step;
                const uint64_t word = words[i], bound = own.bound(numbers[i]);
                if (word > bound) continue;
                if (word == bound && !tiesCount_ && word != ~uint64_t{0}) continue;
                candidates.push_back({word, static_cast<int32_t>(from + i), numbers[i]});
                if (word < bound) own.add(numbers[i], word);
            }
        }
    }

    // Returns the candidates that are within the bounds of every piece.
    std::vector<int32_t> withinAllBounds() const {
        std::vector<uint64_t> bounds(static_cast<size_t>(groups_.slots), ~uint64_t{0});
        for (const Best& of : best_) {
            for (size_t group = 0; group < bounds.size(); ++group)
                bounds[group] = std::min(bounds[group], of.bound(static_cast<int32_t>(group)));
        }
        std::vector<int32_t> result;
        for (const std::vector<Candidate>& candidates : found_) {
            for (const Candidate& c : candidates) {
                if (c.word <= bounds[static_cast<size_t>(c.group)]) result.push_back(c.row);
            }
        }
        return result;
    }

    const GroupNumbers& groups_;
    const OrderKey first_;
    // Ties of words are broken by the other keys, or by the row's position: then the first one met is the better.
    const bool tiesCount_;
    const bool isForward_;
    const int64_t rows_, each_;
    std::vector<std::vector<Candidate>> found_;  // by piece
    std::vector<Best> best_;                     // by piece
    std::atomic<bool> pays_{true};
};

std::vector<Value> gathered(std::span<const Value> columns, const std::vector<int32_t>& rows) {
    std::vector<Value> result;
    for (const Value& column : columns)
        result.push_back(column.isScalar() ? column : gatherElements(column, rows.data(), std::ssize(rows)));
    return result;
}

}  // namespace

std::optional<std::vector<int32_t>> candidatesWithinLimit(std::span<const Value> keys, std::span<const OrderKey> order,
                                                          int64_t rows, int64_t limit) {
    const int64_t each = std::abs(limit);
    if (rows < kFewestRows || each == 0 || each > rows / kRowsForEach || order.empty()) return std::nullopt;
    if (!orderingWords(leadingKey(order, limit < 0), 0, 0, nullptr)) return std::nullopt;
    const std::optional<GroupNumbers> groups = groupNumbers(keys, rows, rows / kRowsForEach / each);
    return groups ? CandidateSearch(*groups, order, rows, limit).found() : std::nullopt;
}

std::vector<int32_t> rowsWithinLimit(std::span<const Value> keys, std::span<const OrderKey> order, int64_t rows,
                                     int64_t limit) {
    if (const auto near = candidatesWithinLimit(keys, order, rows, limit)) {
        std::vector<OrderKey> nearOrder(order.begin(), order.end());
        for (OrderKey& key : nearOrder) key.column = gatherElements(key.column, near->data(), std::ssize(*near));
        // Each call has fewer rows, so that this ends.
        std::vector<int32_t> kept = rowsWithinLimit(gathered(keys, *near), nearOrder, std::ssize(*near), limit);
        for (int32_t& row : kept) row = (*near)[static_cast<size_t>(row)];
        return kept;
    }
    const PartedRows groups(keys, order, rows, PartedRows::GroupOrder::ByKey);
    const std::vector<int32_t> list = groups.list(), begin = groups.groupBegin();
    std::vector<int32_t> kept;
    for (size_t g = 0; g + 1 < begin.size(); ++g) {
        const int64_t count = std::min<int64_t>(std::abs(limit), begin[g + 1] - begin[g]);
        const auto from = list.begin() + (limit < 0 ? begin[g + 1] - count : begin[g]);
        kept.insert(kept.end(), from, from + count);
    }
    return kept;
}

}  // namespace pelorus
