// The part of Parquet files that loadParquet, loadParquetEx and parquetDS read: row groups, columns, and what these are
// called.
#pragma once

#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/parquet/parquet_table.h"

namespace pelorus {

// A selection. Immutable, and so thread-safe.
class ParquetSelection {
public:
    // The arguments that these functions share; VOID leaves a default. `schema`: a table of name and type, one row for
    // each column of the file or for each one that is read. `columns`: positions, or names. Row groups are counted from
    // 0 over all files.
    struct Arguments {
        Value file, schema, columns, startRowGroup, rowGroupNum;
        int fileAt = 0;    // the number of the argument `file`
        int schemaAt = 1;  // the number of `schema`, behind which the others are
    };
    // Throws UserError naming the argument, SystemError for a file that cannot be read.
    ParquetSelection(const Context& context, const Arguments& arguments);

    const ParquetTable& table() const { return *table_; }
    // Returns the columns of the rows: with the names and types of `schema`.
    const TableSchema& schema() const { return schema_; }
    int firstRowGroup() const { return first_; }
    int rowGroupCount() const { return count_; }
    // Reads the row groups [begin, begin + count) of the selection, counted from its first. Throws UserError when a
    // value has no conversion to the type of `schema`.
    Ref<MemoryTable> load(int begin, int count, const Context& context) const;

private:
    void chooseColumns(const Value& columns, int argument);
    void takeSchema(const Value& schema, int argument);
    void chooseRowGroups(const Value& start, const Value& count, int argument);

    Ref<ParquetTable> table_;
    std::vector<int> columns_;
    TableSchema schema_;
    int first_ = 0, count_ = 0;
};

}  // namespace pelorus
