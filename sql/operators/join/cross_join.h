// Cross join: all pairs of rows, made when they are read. SQL-63.
#pragma once

#include <memory>
#include <vector>

#include "runtime/computed_table.h"
#include "sql/operators/join/joins.h"

namespace pelorus {

// The pairs of the first left row come first. A query that needs no row twice reads them block by block.
class CrossJoin final : public ComputedTable {
public:
    // Throws UserError for more rows than a table can have.
    CrossJoin(Ref<MemoryTable> left, Ref<MemoryTable> right, const JoinedColumns& shown);

    const TableSchema& columns() const override { return schema_; }
    int64_t rowCount() const override { return left_->rowCount() * right_->rowCount(); }
    // All of them. Throws UserError that names their size when memory has no room for them.
    Ref<MemoryTable> rows(Context& context) override;
    // Whether all rows can be kept beside what a query makes of them; so are columns that no block can hold.
    bool hasRoom() const;

    // Rows from `begin` of a column.
    Value items(int column, int64_t begin, int64_t count) const;
    // The rows in blocks, as those of a table in memory.
    std::shared_ptr<const PartitionReader> reader() const;

private:
    struct Column {
        bool ofLeft = false;
        int number = 0;
    };
    void show(bool ofLeft, int number, std::string name);

    Ref<MemoryTable> left_, right_;
    TableSchema schema_;
    std::vector<Column> columns_;
};

// The rows, or what makes them where memory has no room for all.
Ref<Table> crossJoin(const Ref<MemoryTable>& left, const Ref<MemoryTable>& right, const JoinedColumns& shown,
                     Context& context);

// Throws UserError when memory has no room for so many rows of a cross join.
void requireRoomForPairs(int64_t rows, const TableSchema& columns);

}  // namespace pelorus
