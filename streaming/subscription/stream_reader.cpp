#include "streaming/subscription/stream_reader.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/stream/stream_keeper.h"
#include "runtime/stream/stream_log.h"

namespace pelorus {

static constexpr int64_t kRowsAtOnce = 65536;

int64_t StreamReader::oldest() const {
    const int64_t first = table_->stream->first();
    const auto disk = table_->stream->keeper();
    return disk ? std::min(first, disk->oldest()) : first;
}

// Makes the loaded rows hold this one.
void StreamReader::load(int64_t row) {
    if (loaded_.rows && row >= loaded_.begin && row < loaded_.ends.back()) return;
    loaded_ = StreamRows();  // freed before more come
    const auto disk = table_->stream->keeper();
    if (disk) loaded_ = disk->read(row, kRowsAtOnce);
    if (!loaded_.rows)
        throw SystemError("Row " + std::to_string(row) + " of the stream table was removed while it was read.", "",
                          true);
    // Rows from before a column was added have none of it.
    const OptionalLock lock(table_->lock.get());
    const TableSchema& columns = table_->columns();
    for (size_t c = static_cast<size_t>(loaded_.rows->columnCount()); c < columns.size(); ++c)
        loaded_.rows->setColumn(columns[c].name,
                                filledColumn(columns[c].type, columns[c].scale, loaded_.rows->rowCount()));
}

int64_t StreamReader::endOfAppend(int64_t row) {
    if (const std::optional<int64_t> end = table_->stream->endOfAppend(row)) return *end;
    load(row);
    return *std::upper_bound(loaded_.ends.begin(), loaded_.ends.end(), row);
}

Ref<MemoryTable> StreamReader::read(int64_t begin, int64_t end) {
    CHECK(begin <= end) << "a range of rows has an end";
    {
        const OptionalLock lock(table_->lock.get());
        const int64_t first = table_->stream->first();
        if (begin >= first || begin == end) {
            if (loaded_.rows && begin >= loaded_.ends.back()) loaded_ = StreamRows();
            return table_->slice(begin == end ? 0 : begin - first, end - begin);
        }
    }
    Ref<MemoryTable> rows;
    for (int64_t at = begin; at < end;) {
        load(at);
        const int64_t taken = std::min(end, loaded_.ends.back()) - at;
        const Ref<MemoryTable> part = loaded_.rows->slice(at - loaded_.begin, taken);
        at += taken;
        if (!rows && at == end) return part;
        if (!rows) rows = MemoryTable::empty(loaded_.rows->columns(), end - begin);
        rows->append(*part);
    }
    return rows;
}

}  // namespace pelorus
