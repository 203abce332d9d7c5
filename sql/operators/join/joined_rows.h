// The rows of a join: the rows of its sides that each is made of (late materialization). Columns are gathered when they
// are read, block by block where a query needs no row twice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/function/context.h"
#include "runtime/table/computed_table.h"
#include "sql/keys/join_keys.h"
#include "sql/operators/join/joins.h"

namespace pelorus {

// Names of columns of both sides that the result leaves out.
struct LeftOutColumns {
    std::vector<std::string> left, right;
};

class JoinedRows : public ComputedTable {
public:
    const TableSchema& columns() const override { return schema_; }
    // Returns all rows, materialized.
    Ref<MemoryTable> rows(Context& context) override;

    // Returns `count` rows of a column from `begin` on.
    Value items(int column, int64_t begin, int64_t count) const;
    // Returns the rows as one partition, in blocks like those of a table in memory. REQUIRES: hasBlocks().
    std::shared_ptr<TableSnapshot> snapshot() const;
    // Whether all columns are vectors of numbers or strings.
    bool hasBlocks() const;
    // Throws UserError when memory is too short for so many rows of these columns.
    virtual void requireRoom(int64_t /*rows*/, const TableSchema& /*columns*/) const {}

protected:
    // A column of the result: a column of one side.
    struct Column {
        size_t side = 0;
        int number = 0;
    };

    // Two sides, whose columns are shown as those of a join by keys.
    JoinedRows(Ref<MemoryTable> left, Ref<MemoryTable> right, const LeftOutColumns& leftOut,
               const JoinedColumns& shown);
    // Any number of sides. `names[i]` is the name of columns[i]; at least one column. Names are unique.
    JoinedRows(std::vector<Ref<MemoryTable>> sides, const std::vector<std::string>& names, std::vector<Column> columns);

    // Returns for the rows from `begin` the rows of a side that they are made of, -1 for none, written to `room` or
    // stored elsewhere. nullptr when row i is made of row i.
    virtual const int32_t* sourceRows(size_t side, int64_t begin, int64_t count, RowNumbers& room) const = 0;

    const std::vector<Ref<MemoryTable>> sides_;

private:
    void show(size_t side, int number, std::string name);

    TableSchema schema_;
    std::vector<Column> columns_;
};

// Joined rows whose matches are known.
class MatchedRows final : public JoinedRows {
public:
    MatchedRows(Ref<MemoryTable> left, Ref<MemoryTable> right, SideRows leftRows, SideRows rightRows,
                const LeftOutColumns& leftOut, const JoinedColumns& shown);

    int64_t rowCount() const override { return rowCount_; }

protected:
    const int32_t* sourceRows(size_t side, int64_t begin, int64_t count, RowNumbers& room) const override;

private:
    const SideRows leftRows_, rightRows_;
    const int64_t rowCount_;
};

}  // namespace pelorus
