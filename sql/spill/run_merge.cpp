#include "sql/spill/run_merge.h"

#include <algorithm>
#include <optional>

#include "common/check.h"

namespace pelorus {

namespace {

// Returns the keys of a table that has them as its last columns.
std::vector<OrderKey> keysOf(const MemoryTable& rows, std::vector<OrderKey> keys) {
    const int first = rows.columnCount() - static_cast<int>(keys.size());
    for (size_t k = 0; k < keys.size(); ++k) keys[k].column = rows.column(first + static_cast<int>(k));
    return keys;
}

// A run, of which the block at its head is in memory.
class Run {
public:
    Run(const SpillFile& file, RunBlocks blocks, const std::vector<OrderKey>& keys)
        : file_(file), next_(blocks.firstBlock), end_(blocks.endBlock), keys_(keys) {
        read();
    }

    bool isDone() const { return begin_ == count_; }
    bool hasMore() const { return next_ < end_; }
    int64_t begin() const { return begin_; }  // of the rows that are not taken yet, in the block
    int64_t end() const { return count_; }
    // The ordering words of the first key; empty where its type has none.
    const std::vector<uint64_t>& words() const { return words_; }
    Ref<MemoryTable> rows(int64_t begin, int64_t count) const { return block_->slice(begin, count); }

    // Returns the rows up to `end`, and reads the next block where none remains.
    Ref<MemoryTable> takeUntil(int64_t end) {
        CHECK(begin_ < end && end <= count_) << "rows are taken that are at the head of a run";
        const Ref<MemoryTable> taken = rows(begin_, end - begin_);
        begin_ = end;
        if (isDone()) read();
        return taken;
    }

private:
    void read() {
        begin_ = count_ = 0;
        words_.clear();
        block_ = hasMore() ? file_.read(next_++) : Ref<MemoryTable>();
        if (!block_) return;
        count_ = block_->rowCount();
        const OrderKey first = keysOf(*block_, keys_)[0];
        words_.resize(static_cast<size_t>(count_));
        if (!orderingWords(first, 0, count_, words_.data())) words_.clear();
    }

    const SpillFile& file_;
    int next_, end_;
    const std::vector<OrderKey>& keys_;
    Ref<MemoryTable> block_;
    int64_t begin_ = 0, count_ = 0;
    std::vector<uint64_t> words_;
};

class Merge {
public:
    Merge(const SpillFile& file, const std::vector<RunBlocks>& runs, const std::vector<OrderKey>& keys) : keys_(keys) {
        for (const RunBlocks& blocks : runs) runs_.emplace_back(file, blocks, keys_);
    }

    // Returns the next rows with their keys; null after the last ones.
    Ref<MemoryTable> next() {
        const std::optional<size_t> bound = boundingRun();
        Ref<MemoryTable> heads;
        std::vector<int64_t> ends;  // of the rows of each run, found before any is taken
        for (size_t r = 0; r < runs_.size(); ++r) ends.push_back(bound ? endBefore(r, *bound) : runs_[r].end());
        for (size_t r = 0; r < runs_.size(); ++r) {
            if (ends[r] == runs_[r].begin()) continue;
            const Ref<MemoryTable> rows = runs_[r].takeUntil(ends[r]);
            if (heads) {
                heads->append(*rows);
            } else {
                heads = rows->copy();
            }
        }
        if (!heads) return heads;
        const std::vector<int32_t> order = sortPositions(keysOf(*heads, keys_), heads->rowCount());
        return heads->gather(order.data(), heads->rowCount());
    }

private:
    // Whether a row of a run does not come after one of another, by the keys. REQUIRES: a block is at the head of both.
    bool precedes(const Run& run, int64_t row, const Run& other, int64_t otherRow) const {
        if (!run.words().empty() && !other.words().empty()) {
            const uint64_t word = run.words()[static_cast<size_t>(row)];
            const uint64_t otherWord = other.words()[static_cast<size_t>(otherRow)];
            if (word != otherWord || keys_.size() == 1) return word <= otherWord;
        }
        const Ref<MemoryTable> two = run.rows(row, 1)->copy();
        two->append(*other.rows(otherRow, 1));
        return sortPositions(keysOf(*two, keys_), 2)[0] == 0;
    }

    // Returns the run whose last row in memory is the first of such rows that have more behind them on disk: rows after
    // it must wait for those. Equal ones of later runs too, or the order would not be stable.
    std::optional<size_t> boundingRun() const {
        std::optional<size_t> first;
        for (size_t r = 0; r < runs_.size(); ++r) {
            if (runs_[r].isDone() || !runs_[r].hasMore()) continue;
            if (!first || !precedes(runs_[*first], runs_[*first].end() - 1, runs_[r], runs_[r].end() - 1)) first = r;
        }
        return first;
    }

    // Returns the end of the rows of a run that come before those which must wait for the bounding run.
    int64_t endBefore(size_t number, size_t bound) const {
        const Run &run = runs_[number], &other = runs_[bound];
        if (number == bound) return run.end();
        const int64_t last = other.end() - 1;
        int64_t begin = run.begin(), end = run.end();
        while (begin < end) {
            const int64_t middle = begin + (end - begin) / 2;
            const bool isBefore =
                number < bound ? precedes(run, middle, other, last) : !precedes(other, last, run, middle);
            (isBefore ? begin : end) = isBefore ? middle + 1 : middle;
        }
        return begin;
    }

    const std::vector<OrderKey>& keys_;
    std::vector<Run> runs_;
};

}  // namespace

void mergeRuns(const SpillFile& file, const std::vector<RunBlocks>& runs, const std::vector<OrderKey>& keys,
               const std::function<void(const MemoryTable& rows)>& take) {
    CHECK(!keys.empty()) << "runs are in an order of some keys";
    Merge merge(file, runs, keys);
    while (const Ref<MemoryTable> rows = merge.next()) {
        for (size_t k = 0; k < keys.size(); ++k) rows->dropColumn(rows->columnCount() - 1);
        take(*rows);
    }
}

}  // namespace pelorus
