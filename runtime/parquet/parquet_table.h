// Parquet files as a table that queries read in place: each row group is a partition.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/parquet/file_pattern.h"
#include "runtime/parquet/parquet_file.h"
#include "runtime/partition/partition_scheme.h"
#include "runtime/table/table.h"

namespace pelorus {

// The table of a query; its rows stay in the files, of which a query decodes the columns, row groups and blocks that it
// needs. Immutable, and so thread-safe; it may be read as long as the files do not change.
class ParquetTable final : public PartitionedTable {
public:
    // Opens the files that a path or a pattern names, with the rights of the running code; the keys of folders such as
    // year=2024 are columns behind those of the files. Throws UserError when two files have different columns,
    // SystemError for a file that cannot be read.
    static Ref<ParquetTable> open(const Context& context, const std::string& pattern);
    // Opens one file, which may be in memory.
    static Ref<ParquetTable> open(std::shared_ptr<File> file);

    const TableSchema& columns() const override { return schema_; }
    int64_t rowCount() const override;
    const std::string& databasePath() const override { return noDatabase_; }
    const PartitionScheme& scheme() const override { return scheme_; }
    const std::vector<std::string>& partitionColumns() const override { return noColumns_; }
    std::shared_ptr<TableSnapshot> takeSnapshot(uint64_t number = 0) const override;
    // Throws UserError: files are read only.
    AppendReport append(const MemoryTable& rows) override;

    // The row groups of all files, in the order of their rows.
    int rowGroupCount() const { return static_cast<int>(state_->groups.size()); }
    int64_t rowsOfGroup(int group) const;
    // Reads columns of the row groups [first, first + count) into memory, on all threads.
    Ref<MemoryTable> load(const std::vector<int>& columns, int first, int count, const Context& context) const;
    // Throws UserError, naming the first column, when no table can hold one of these.
    void requireReadable(const std::vector<int>& columns) const;

    // A row group of one of the files.
    struct Group {
        size_t file = 0;
        int rowGroup = 0;
    };
    // State that snapshots and readers share with the table.
    struct State {
        std::vector<std::unique_ptr<parquet_file::ParquetFile>> files;
        // The columns of the table in each file, by their places there.
        std::vector<std::vector<int>> places;
        std::vector<Value> keys;  // a column of keys: one value for each file
        std::vector<Group> groups;
        int fileColumns = 0;  // columns behind these are keys
    };

private:
    ParquetTable() = default;
    static void findGroups(State& state);

    TableSchema schema_;
    std::shared_ptr<const State> state_;
    const std::string noDatabase_;
    const PartitionScheme scheme_;
    const std::vector<std::string> noColumns_;
};

}  // namespace pelorus
