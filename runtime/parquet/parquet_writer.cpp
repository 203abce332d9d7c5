#include "runtime/parquet/parquet_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
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
    written.metadata.emplace_back(parquet_file::kTypesKey, typesOf(schema_));
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

void ParquetWriter::writeRowGroup(const MemoryTable& rows, int64_t begin, int64_t count) {
    const auto fail = [&](size_t c, const SystemError& e) {
        throw SystemError(fmt::format("Cannot write the column {} of {}: {}", schema_[c].name, path_, e.what()),
                          e.hint(), e.retryable());
    };
    size_t c = 0;
    try {
        writer_->beginRowGroup();
        for (; c < columns_.size(); ++c)
            parquet_file::writeColumn(*writer_, columns_[c], rows.column(static_cast<int>(c)), begin, count);
    } catch (const memory::OutOfMemory&) {
        throw;
    } catch (const SystemError& e) {
        fail(std::min(c, columns_.size() - 1), e);
    }
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
