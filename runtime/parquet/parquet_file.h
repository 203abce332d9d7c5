// A Parquet file with its columns as the language has them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/parquet/column_reader.h"
#include "runtime/parquet/open_files.h"
#include "runtime/parquet/parquet_library.h"
#include "runtime/table/table.h"

namespace pelorus::parquet_file {

// One file, whose footer has been read. Immutable, and so thread-safe. Its errors name the file, and where they can the
// row group and the column.
class ParquetFile {
public:
    // Throws SystemError when there is no such file or it is no whole Parquet file.
    ParquetFile(OpenFiles& files, const std::string& path);
    // Reads an open file, whose path its errors say.
    explicit ParquetFile(std::shared_ptr<File> file);

    const std::string& path() const { return path_; }
    // Returns the columns; those that no table can hold are STRING, and throw when they are read.
    const TableSchema& columns() const { return schema_; }
    int findColumn(std::string_view name) const;
    // Throws UserError, naming the column and what it is, when no table can hold it.
    void requireReadable(int column) const;
    int rowGroupCount() const { return static_cast<int>(rows_.size()); }
    int64_t rowCount(int rowGroup) const { return rows_[static_cast<size_t>(rowGroup)]; }
    // Returns the text of a key of the file's own metadata; nothing when it has none.
    std::optional<std::string> metadata(const std::string& key) const { return reader_->metadata(key); }
    // Returns whether a column has times of a zone, which are given as UTC.
    bool isUtc(int column) const { return columns_[static_cast<size_t>(column)].plan.column.isUtc; }

    // Returns the bounds of the values of a column within a row group, as far as the file has them. They are exact
    // where they are those of integers or times.
    BlockBounds bounds(int rowGroup, int column) const;
    // Returns the bounds of each block of so many rows, by the bounds of the pages that overlap it; none when the file
    // has no index of the column's pages. They are never exact.
    std::vector<BlockBounds> boundsOfBlocks(int rowGroup, int column, int64_t blockRows) const;
    // Returns false only when the Bloom filter of the column excludes all of these values.
    bool mayHaveAny(int rowGroup, int column, const std::vector<Value>& values) const;

    // Returns a reader at the first row of a flat column.
    std::unique_ptr<ColumnReader> openColumn(int rowGroup, int column) const;
    // Reads the next rows. `target` is of the type of storedColumn.
    void read(ColumnReader& reader, int rowGroup, int column, Vector& target, int64_t begin, int64_t rows) const;
    // Skips rows.
    void skip(ColumnReader& reader, int rowGroup, int column, int64_t rows) const;
    // Reads all rows of a list column.
    Value readLists(int rowGroup, int column) const;
    bool isList(int column) const { return isArrayType(schema_[static_cast<size_t>(column)].type); }

    // Returns a vector for rows of a flat column, which `finished` makes the column's values when it is full.
    Ref<Vector> makeVector(int column, int64_t rows) const;
    Value finished(int column, Ref<Vector> filled) const;

private:
    struct FileColumn {
        ReadPlan plan;
        Type given = Type::Void;  // the type of the elements, to which those of the plan are converted
        std::string obstacle;
    };
    template <class F>
    auto named(int rowGroup, int column, F&& f) const -> decltype(f());
    void describe(size_t i, TypeSpec restored);

    const std::string path_;
    std::unique_ptr<FileReader> reader_;
    std::vector<FileColumn> columns_;
    TableSchema schema_;
    std::vector<int64_t> rows_;
    bool hasNoNan_ = false;  // as the file says of itself
};

}  // namespace pelorus::parquet_file
