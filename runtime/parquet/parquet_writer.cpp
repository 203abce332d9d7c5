#include "runtime/parquet/parquet_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/memory/budget.h"
#include "runtime/parquet/column_type.h"
#include "runtime/parquet/column_writer.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

std::string typesOf(const TableSchema& schema) {
    std::string text;
    for (const ColumnSchema& column : schema) text += (text.empty() ? "" : ",") + typeString(column.type, column.scale);
    return text;
}

parquet_file::Column storedAs(const ColumnSchema& column) {
    return parquet_file::storedAs(column.name, {column.type, column.scale});
}

}  // namespace

ParquetWriter::ParquetWriter(UserFiles& files, const std::string& path, const TableSchema& schema,
                             const Options& options)
    : files_(&files), path_(path), unfinished_(path + ".unfinished"), options_(options), schema_(schema) {
    for (const ColumnSchema& column : schema) columns_.push_back(storedAs(column));
    parquet_file::library();  // its absence is told before the file is made
    std::shared_ptr<File> file = files_->create(unfinished_);
    try {
        open(std::move(file));
    } catch (...) {
        files_->remove(unfinished_);
        throw;
    }
}

ParquetWriter::ParquetWriter(std::shared_ptr<File> file, const TableSchema& schema, const Options& options)
    : path_(file->path()), options_(options), schema_(schema) {
    for (const ColumnSchema& column : schema) columns_.push_back(storedAs(column));
    open(std::move(file));
}

void ParquetWriter::open(std::shared_ptr<File> file) {
    parquet_file::WriteOptions written;
    written.compression = options_.compression;
    for (const int column : options_.sortColumns) written.sortKeys.push_back({column, false});
    written.filterColumns = options_.filterColumns;
    written.rowGroupRows = options_.rowGroupRows;
    written.metadata = options_.metadata;
    written.metadata.emplace_back(parquet_file::kTypesKey, typesOf(schema_));
    written.metadata.emplace_back(parquet_file::kNoNanKey, "missing");
    file_ = std::move(file);
    writer_ = parquet_file::library().write(file_, columns_, written);
}

ParquetWriter::~ParquetWriter() {
    writer_.reset();
    file_.reset();
    if (isFinished_ || files_ == nullptr) return;
    try {
        files_->remove(unfinished_);
    } catch (const Error&) {
        // The remaining file has the name of an unfinished one, which no reader takes for a whole one.
    }
}

void ParquetWriter::append(const Ref<MemoryTable>& rows) {
    rows_ += rows->rowCount();
    Ref<MemoryTable> all = rows;
    if (kept_) {
        kept_->append(*rows);
        all = std::move(kept_);
    }
    int64_t begin = 0;
    for (; all->rowCount() - begin >= options_.rowGroupRows; begin += options_.rowGroupRows)
        writeRowGroup(*all, begin, options_.rowGroupRows);
    if (begin == all->rowCount()) return;
    // A separate copy, to which later rows are added.
    kept_ = MemoryTable::empty(schema_);
    kept_->append(*all->slice(begin, all->rowCount() - begin));
}

// Columns are encoded and compressed by all threads.
void ParquetWriter::writeRowGroup(const MemoryTable& rows, int64_t begin, int64_t count) {
    writer_->beginRowGroup();
    parallelFor(static_cast<int64_t>(columns_.size()), [&](int64_t i) {
        const auto c = static_cast<size_t>(i);
        const int place = static_cast<int>(i);
        try {
            parquet_file::writeColumn(*writer_, place, columns_[c], rows.column(place), begin, count);
        } catch (const memory::OutOfMemory&) {
            throw;
        } catch (const SystemError& e) {
            throw SystemError(fmt::format("Cannot write the column {} of {}: {}", schema_[c].name, path_, e.what()),
                              e.hint(), e.retryable());
        }
    });
    writer_->endRowGroup();
}

void ParquetWriter::finish() {
    if (kept_) writeRowGroup(*kept_, 0, kept_->rowCount());
    kept_ = Ref<MemoryTable>();
    writer_->close();
    isFinished_ = files_ == nullptr;
    if (isFinished_) return;
    file_->sync();
    files_->rename(unfinished_, path_);
    isFinished_ = true;
}

}  // namespace pelorus
