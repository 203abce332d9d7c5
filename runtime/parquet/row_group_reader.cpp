#include "runtime/parquet/row_group_reader.h"

#include <algorithm>

#include "common/check.h"
#include "runtime/value/array_vector.h"

namespace pelorus {

using parquet_file::ColumnReader;

RowGroupReader::RowGroupReader(std::shared_ptr<const ParquetTable::State> state, size_t group)
    : state_(std::move(state)),
      group_(state_->groups[group]),
      file_(*state_->files[group_.file]),
      places_(state_->places[group_.file]),
      rows_(file_.rowCount(group_.rowGroup)) {}

BlockBounds RowGroupReader::bounds(int block, int column) const {
    if (column >= state_->fileColumns) {
        const Value key =
            state_->keys[static_cast<size_t>(column - state_->fileColumns)].at(static_cast<int64_t>(group_.file));
        BlockBounds bounds{true, key, key, key.isNull() ? rows_ : 0};
        bounds.isExact = blockCount() == 1;
        return bounds;
    }
    const MutexLock lock(mutex_);
    auto known = bounds_.find(column);
    if (known == bounds_.end()) known = bounds_.emplace(column, boundsOfBlocks(column)).first;
    return known->second[known->second.size() == 1 ? 0 : static_cast<size_t>(block)];
}

std::vector<BlockBounds> RowGroupReader::boundsOfBlocks(int column) const {
    const int place = places_[static_cast<size_t>(column)];
    if (blockCount() > 1) {
        std::vector<BlockBounds> blocks = file_.boundsOfBlocks(group_.rowGroup, place, kBlockRows);
        if (!blocks.empty()) return blocks;
    }
    BlockBounds whole = file_.bounds(group_.rowGroup, place);
    whole.isExact = whole.isExact && blockCount() == 1;
    return {std::move(whole)};
}

bool RowGroupReader::mayHaveAny(int column, const std::vector<Value>& values) const {
    if (column >= state_->fileColumns) return true;  // the bounds of a key tell
    return file_.mayHaveAny(group_.rowGroup, places_[static_cast<size_t>(column)], values);
}

Value RowGroupReader::read(int block, int column) const {
    if (column >= state_->fileColumns) {
        const Value& keys = state_->keys[static_cast<size_t>(column - state_->fileColumns)];
        return Value::of(Vector::filled(keys.type(), blockRows(block), keys.at(static_cast<int64_t>(group_.file))));
    }
    return file_.isList(places_[static_cast<size_t>(column)]) ? readList(block, column) : readFlat(block, column);
}

// Returns the decoder that is nearest before the row, or one at the first row.
std::unique_ptr<ColumnReader> RowGroupReader::takeReader(int column, int64_t begin) const {
    {
        const MutexLock lock(mutex_);
        auto& idle = idle_[column];
        auto nearest = idle.end();
        for (auto one = idle.begin(); one != idle.end(); ++one) {
            if ((*one)->position() > begin) continue;
            if (nearest == idle.end() || (*one)->position() > (*nearest)->position()) nearest = one;
        }
        if (nearest != idle.end()) {
            std::unique_ptr<ColumnReader> reader = std::move(*nearest);
            idle.erase(nearest);
            return reader;
        }
    }
    return file_.openColumn(group_.rowGroup, places_[static_cast<size_t>(column)]);
}

Value RowGroupReader::readFlat(int block, int column) const {
    const int place = places_[static_cast<size_t>(column)];
    const int64_t begin = block * kBlockRows, rows = blockRows(block);
    std::unique_ptr<ColumnReader> reader = takeReader(column, begin);
    if (reader->position() < begin) file_.skip(*reader, group_.rowGroup, place, begin - reader->position());
    Ref<Vector> elements = file_.makeVector(place, rows);
    file_.read(*reader, group_.rowGroup, place, *elements, 0, rows);
    if (begin + rows < rows_) {
        const MutexLock lock(mutex_);
        idle_[column].push_back(std::move(reader));
    }
    return file_.finished(place, std::move(elements));
}

Value RowGroupReader::readList(int block, int column) const {
    const MutexLock lock(listMutex_);
    Value& lists = lists_[column];
    if (lists.isVoid()) lists = file_.readLists(group_.rowGroup, places_[static_cast<size_t>(column)]);
    CHECK(lists.size() == rows_) << "a list column has a list for each row";
    if (blockCount() == 1) return lists;
    return Value::of(lists.arrayVector().slice(block * kBlockRows, blockRows(block)));
}

}  // namespace pelorus
