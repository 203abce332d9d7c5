// Writer of a table as a Parquet file.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/io/user_files.h"
#include "runtime/parquet/parquet_library.h"
#include "runtime/table/table.h"

namespace pelorus {

// A file that is written under another name, and takes the name when it is whole: readers see the old file or the
// new one. Unless it is finished, its destructor removes what was written. An open file of the maker's, such as one in
// memory, is written as it is. One thread uses it.
class ParquetWriter {
public:
    struct Options {
        std::string compression = "snappy";  // "none", "snappy", "gzip", "lz4" or "zstd"
        int64_t rowGroupRows = int64_t{1} << 20;
        // Columns by which the rows are in order already: the file says so.
        std::vector<int> sortColumns;
        // Columns that get a Bloom filter in each row group. REQUIRES: neither BOOL nor array vectors.
        std::vector<int> filterColumns;
        // Texts by keys that are kept in the file.
        std::vector<std::pair<std::string, std::string>> metadata;
    };
    // Throws UserError, naming the column, when a type cannot be written.
    ParquetWriter(UserFiles& files, const std::string& path, const TableSchema& schema, const Options& options);
    // Writes an open file, which keeps what was written whatever becomes of the writer.
    ParquetWriter(std::shared_ptr<File> file, const TableSchema& schema, const Options& options);
    ~ParquetWriter();
    ParquetWriter(const ParquetWriter&) = delete;
    ParquetWriter& operator=(const ParquetWriter&) = delete;

    // Adds rows with the columns of the schema. Writes whole row groups, and keeps the rest.
    void append(const Ref<MemoryTable>& rows);
    // Writes the rest and the footer, and gives the file its name.
    void finish();
    int64_t rowCount() const { return rows_; }

private:
    void open(std::shared_ptr<File> file);
    void writeRowGroup(const MemoryTable& rows, int64_t begin, int64_t count);

    UserFiles* const files_ = nullptr;  // null: the file is the maker's
    const std::string path_, unfinished_;
    const Options options_;
    TableSchema schema_;
    std::vector<parquet_file::Column> columns_;
    std::shared_ptr<File> file_;
    std::unique_ptr<parquet_file::FileWriter> writer_;
    Ref<MemoryTable> kept_;
    int64_t rows_ = 0;
    bool isFinished_ = false;
};

}  // namespace pelorus
