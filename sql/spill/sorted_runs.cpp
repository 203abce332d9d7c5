#include "sql/spill/sorted_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "runtime/kernel/index/index.h"
#include "runtime/memory/broker.h"
#include "runtime/table/spill_file.h"
#include "sql/spill/held_bytes.h"
#include "sql/spill/run_merge.h"

namespace pelorus {

namespace {

constexpr int64_t kRunBlockRows = 65536;
constexpr int64_t kFewestRunRows = 4096;
constexpr int64_t kManyRuns = 2048;  // the blocks of 64 runs take a small part of what is free

int64_t rowBytes(const MemoryTable& rows) {
    int64_t bytes = 0;
    for (int c = 0; c < rows.columnCount(); ++c) bytes += heldBytes({&rows.column(c), 1});
    return bytes / std::max<int64_t>(1, rows.rowCount()) + 1;
}

Ref<MemoryTable> sortedInMemory(Ref<MemoryTable> rows, std::span<const OrderKey> keys, int64_t needed) {
    const std::vector<int32_t> order = firstPositions(keys, rows->rowCount(), std::min(needed, rows->rowCount()));
    CHECK(order.size() == std::min(needed, rows->rowCount())) << "a sort keeps all rows that are wanted";
    bool ascending = static_cast<int64_t>(order.size()) == rows->rowCount();
    for (size_t i = 0; i < order.size() && ascending; ++i) ascending = order[i] == static_cast<int32_t>(i);
    return ascending ? rows : rows->gather(order.data(), static_cast<int64_t>(order.size()));
}

// Returns the keys of a table that has them as its last columns.
std::vector<OrderKey> keysOf(const MemoryTable& rows, std::vector<OrderKey> keys) {
    const int first = rows.columnCount() - static_cast<int>(keys.size());
    for (size_t k = 0; k < keys.size(); ++k) keys[k].column = rows.column(first + static_cast<int>(k));
    return keys;
}

}  // namespace

SortedRuns::SortedRuns(const SpillFolder& folder, std::vector<OrderKey> keys) : keys_(std::move(keys)), file_(folder) {
    for (OrderKey& key : keys_) key.column = Value();
}

bool SortedRuns::canHold(const MemoryTable& rows) const {
    if (!SpillFile::canHold(rows)) return false;
    for (size_t c = 0; c < columns_.size(); ++c) {
        if (rows.columns()[c].type != columns_[c].type) return false;
        if (rows.column(static_cast<int>(c)).vector().scale() != columns_[c].scale) return false;
    }
    return true;
}

bool SortedRuns::continueLastRun(const MemoryTable& rows) const {
    if (!lastRow_) return false;
    const Ref<MemoryTable> both = lastRow_->copy();
    both->append(*rows.slice(0, 1));
    return sortPositions(keysOf(*both, keys_), 2)[0] == 0;
}

void SortedRuns::add(const MemoryTable& rows, int64_t blockRows) {
    if (blockRows == 0)
        blockRows = std::clamp(memory::availableBytes() / (kManyRuns * rowBytes(rows)), int64_t{256}, kRunBlockRows);
    if (isEmpty()) {
        columns_ = rows.columns();
        columns_.resize(columns_.size() - keys_.size());
        for (size_t c = 0; c < columns_.size(); ++c)
            columns_[c].scale = rows.column(static_cast<int>(c)).vector().scale();
    }
    if (isEmpty() || (rows.rowCount() > 0 && !continueLastRun(rows))) firstBlocks_.push_back(file_.blockCount());
    CHECK(rows.columnCount() == columns_.size() + keys_.size()) << "all runs have one schema, with the keys behind it";
    if (rows.rowCount() > 0) {
        // A slice would keep all rows in memory.
        const auto last = static_cast<int32_t>(rows.rowCount() - 1);
        lastRow_ = rows.gather(&last, 1);
    }
    for (int64_t at = 0; at < rows.rowCount(); at += blockRows)
        file_.append(*rows.slice(at, std::min(blockRows, rows.rowCount() - at)));
    rowCount_ += rows.rowCount();
}

Ref<MemoryTable> SortedRuns::merged() const {
    Ref<MemoryTable> result = MemoryTable::empty(columns_, rowCount_);
    merge([&](const MemoryTable& rows) { result->append(rows); });
    CHECK(result->rowCount() == rowCount_) << "the merge returns the rows that the runs took";
    return result;
}

void SortedRuns::merge(const std::function<void(const MemoryTable& rows)>& take) const {
    std::vector<RunBlocks> runs;
    for (size_t r = 0; r < firstBlocks_.size(); ++r) {
        const int end = r + 1 < firstBlocks_.size() ? firstBlocks_[r + 1] : file_.blockCount();
        runs.push_back({firstBlocks_[r], end});
    }
    mergeRuns(file_, runs, keys_, take);
}

Ref<MemoryTable> sortedRows(Ref<MemoryTable> rows, std::vector<OrderKey> keys, Context& context, int64_t needed,
                            int64_t* spilledBytes) {
    const int64_t count = rows->rowCount();
    // Two copies of a key's word and its row, while they are sorted.
    const int64_t perRow = rowBytes(*rows) + 36 + 8 * static_cast<int64_t>(keys.size());
    const SpillFolder* folder = spillFolderOf(context);
    const int64_t room = folder ? memory::availableBytes() : INT64_MAX;
    const bool fits = room / perRow >= count || count <= kFewestRunRows || keys.empty();
    const bool storable = !fits && SpillFile::canHold(*rows) &&
                          std::all_of(keys.begin(), keys.end(), [](const OrderKey& k) { return k.column.isVector(); });
    if (!storable) return sortedInMemory(std::move(rows), keys, needed);

    const int64_t runRows = std::clamp(room / 4 / perRow, kFewestRunRows, count);
    const int64_t runCount = (count + runRows - 1) / runRows;
    const int64_t blockRows = std::clamp(runRows / (runCount + 1), int64_t{256}, kRunBlockRows);
    SortedRuns runs(*folder, keys);
    for (int64_t begin = 0; begin < count; begin += runRows) {
        const int64_t run = std::min(runRows, count - begin);
        Ref<MemoryTable> part = rows->slice(begin, run);
        for (size_t k = 0; k < keys.size(); ++k)
            part->setColumn(fmt::format(" key{}", k), Value::of(keys[k].column.vector().slice(begin, run)));
        part = sortedInMemory(part, keysOf(*part, keys), run);
        runs.add(*part, blockRows);
    }
    rows = nullptr;
    for (OrderKey& key : keys) key.column = Value();
    if (spilledBytes) *spilledBytes += runs.sizeBytes();
    return runs.merged();
}

}  // namespace pelorus
