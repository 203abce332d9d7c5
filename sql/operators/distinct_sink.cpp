#include "sql/operators/distinct_sink.h"

#include <algorithm>
#include <iterator>

#include "common/check.h"
#include "sql/operators/first_rows_of_keys.h"

namespace pelorus {

namespace {

// Rows of blocks that are kept as they are before morsels look for equal ones again, which may be far fewer.
constexpr int64_t kMaxKept = int64_t{1} << 24;
// Rows of all morsels above which they are cut by their keys and looked through on all threads.
constexpr int64_t kManyRows = int64_t{1} << 20;

}  // namespace

DistinctSink::DistinctSink(TableSchema columns, int64_t needed) : columns_(std::move(columns)), needed_(needed) {
    for (const ColumnSchema& column : columns_) types_.push_back(column.type);
}

void DistinctSink::open(size_t morsels) {
    parts_.resize(morsels);
    end_ = morsels;
}

bool DistinctSink::wants(const Batch& batch) {
    // Enough distinct rows precede all that follow.
    return batch.morsel() < end_ && !hasEnough(parts_[batch.morsel()]);
}

bool DistinctSink::push(Batch& batch, Context&) {
    Part& part = parts_[batch.morsel()];
    const int64_t rows = batch.rows();
    std::vector<Value> values;
    for (size_t c = 0; c < columns_.size(); ++c) values.push_back(batch.column(static_cast<int>(c)));
    if (!part.pieces.empty()) {
        keep(part, std::move(values), rows);
        return true;
    }
    if (!part.table) part.table = std::make_unique<GroupTable>(types_);
    const int64_t before = part.table->size();
    part.numbers.resize(static_cast<size_t>(rows));
    part.table->assign(values, rows, part.numbers.data());
    // Rows that differ among themselves may be those of the block before again.
    const bool mostAreNew = before > 0 && 2 * (part.table->size() - before) > rows;
    const bool wantsAll = needed_ == INT64_MAX && std::ranges::all_of(values, &Value::isTypedVector);
    if (mostAreNew && wantsAll && keptRows_.load(std::memory_order_relaxed) <= kMaxKept) {
        // Looking for equal rows in the morsel would cost much and leave as many.
        std::vector<Value> known = part.table->keys();
        const int64_t size = part.table->size();
        part.table.reset();
        keep(part, std::move(known), size);
    }
    return !hasEnough(part);
}

void DistinctSink::close(size_t morsel) {
    Part& part = parts_[morsel];
    part.numbers = {};
    if (!part.table) return;
    part.rows = part.table->size();
    part.pieces = {part.table->keys()};
    CHECK(part.pieces[0].empty() || part.pieces[0][0].size() == part.rows) << "each group has one key";
    part.table.reset();
    size_t end = end_;
    while (part.rows >= needed_ && morsel + 1 < end && !end_.compare_exchange_weak(end, morsel + 1)) continue;
}

Ref<MemoryTable> DistinctSink::rows() {
    std::erase_if(parts_, [](const Part& part) { return part.rows == 0; });
    std::vector<Value> values;
    if (parts_.size() == 1 && parts_[0].pieces.size() == 1) {
        values = std::move(parts_[0].pieces[0]);
    } else if (!parts_.empty()) {
        int64_t rows = 0;
        for (const Part& part : parts_) rows += part.rows;
        values = rows < kManyRows || needed_ < rows ? oneAfterAnother() : firstRowsOfKeys(types_, allPieces());
    }
    if (values.empty()) return MemoryTable::empty(columns_);
    auto result = makeRef<MemoryTable>();
    for (size_t c = 0; c < columns_.size(); ++c) result->setColumn(columns_[c].name, std::move(values[c]));
    return result->rowCount() > needed_ ? result->slice(0, needed_) : result;
}

void DistinctSink::keep(Part& part, std::vector<Value> values, int64_t rows) {
    part.pieces.push_back(std::move(values));
    part.rows += rows;
    keptRows_.fetch_add(rows, std::memory_order_relaxed);
}

std::vector<std::vector<Value>> DistinctSink::allPieces() {
    std::vector<std::vector<Value>> all;
    for (Part& part : parts_) {
        std::ranges::move(part.pieces, std::back_inserter(all));
        part.pieces.clear();
    }
    return all;
}

// Returns the columns of the distinct rows, taken one piece after another.
std::vector<Value> DistinctSink::oneAfterAnother() {
    GroupTable all(types_);
    std::vector<int32_t> numbers;
    for (const std::vector<Value>& piece : allPieces()) {
        if (all.size() >= needed_) break;
        numbers.resize(static_cast<size_t>(piece[0].size()));
        all.assign(piece, piece[0].size(), numbers.data());
    }
    return all.keys();
}

}  // namespace pelorus
