// Cross join: all pairs of rows.
#pragma once

#include "sql/operators/join/joined_rows.h"

namespace pelorus {

// Pairs are ordered by the left row, then by the right one.
class CrossJoin final : public JoinedRows {
public:
    // Throws UserError for more rows than a table can have.
    CrossJoin(Ref<MemoryTable> left, Ref<MemoryTable> right, const JoinedColumns& shown);

    int64_t rowCount() const override { return sides_[0]->rowCount() * sides_[1]->rowCount(); }
    void requireRoom(int64_t rows, const TableSchema& columns) const override;

protected:
    const int32_t* sourceRows(size_t side, int64_t begin, int64_t count, RowNumbers& room) const override;
};

}  // namespace pelorus
