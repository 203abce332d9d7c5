#include "sql/operators/context/first_candidates.h"
#include "sql/keys/row_groups.h"
#include "sql/plan/select_plan.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "common/thread/thread_pool.h"

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

}  // namespace

std::optional<std::vector<int32_t>> firstCandidates(const std::vector<OutputItem>& keys, const MemoryTable& rows,
                                                    const std::vector<OrderKey>& order, int64_t count,
                                                    Context& context) {
    const int64_t all = rows.rowCount(), each = std::abs(count);
    if (all < kFewestRows || each == 0 || each > all / kRowsForEach || order.empty()) return std::nullopt;
    OrderKey first = order[0];
    if (count < 0) {  // the last rows in an order are the first in the reverse order
        first.ascending = !first.ascending;
        first.nullsFirst = !first.nullsFirst;
    }
    if (!orderingWords(first, 0, 0, nullptr)) return std::nullopt;
    const std::optional<GroupNumbers> groups = groupNumbers(keys, rows, all / kRowsForEach / each, context);
    if (!groups) return std::nullopt;
    const int64_t pieceRows = std::max(kMinPiece, groups->slots * each * 4 * kRowsForEach);
    const int64_t pieces = (all + pieceRows - 1) / pieceRows;
    // Ties of words are broken by the other keys, or by the row's position: then the first one met is the better.
    const bool tiesCount = order.size() > 1;
    std::vector<std::vector<Candidate>> found(static_cast<size_t>(pieces));
    std::vector<Best> best(static_cast<size_t>(pieces), Best(groups->slots, each));
    std::atomic<bool> pays{true};
    parallelFor(pieces, [&](int64_t piece) {
        std::vector<Candidate>& candidates = found[static_cast<size_t>(piece)];
        Best& own = best[static_cast<size_t>(piece)];
        uint64_t words[kBlockRows];
        int32_t numbers[kBlockRows];
        const int64_t begin = piece * pieceRows, end = std::min(all, begin + pieceRows);
        for (int64_t done = begin; done < end; done += kBlockRows) {
            context.checkCancelled();
            // Rows in the opposite order, or many equal ones, would each become a candidate.
            if (static_cast<int64_t>(candidates.size()) > (end - begin) / 4) pays = false;
            if (!pays) return;
            const int64_t length = std::min(kBlockRows, end - done);
            const int64_t from = count > 0 ? done : begin + end - done - length;
            orderingWords(first, from, length, words);
            groups->write(from, length, numbers);
            for (int64_t step = 0; step < length; ++step) {
                const int64_t i = count > 0 ? step : length - 1 - step;
                const uint64_t word = words[i], bound = own.bound(numbers[i]);
                if (word > bound) continue;
                if (word == bound && !tiesCount && word != ~uint64_t{0}) continue;
                candidates.push_back({word, static_cast<int32_t>(from + i), numbers[i]});
                if (word < bound) own.add(numbers[i], word);
            }
        }
    });
    if (!pays) return std::nullopt;
    std::vector<uint64_t> bounds(static_cast<size_t>(groups->slots), ~uint64_t{0});
    for (const Best& of : best) {
        for (size_t group = 0; group < bounds.size(); ++group)
            bounds[group] = std::min(bounds[group], of.bound(static_cast<int32_t>(group)));
    }
    std::vector<int32_t> result;
    for (const std::vector<Candidate>& candidates : found) {
        for (const Candidate& c : candidates) {
            if (c.word <= bounds[static_cast<size_t>(c.group)]) result.push_back(c.row);
        }
    }
    if (static_cast<int64_t>(result.size()) > all / 2) return std::nullopt;
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace pelorus
