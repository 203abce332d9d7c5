// Rows in memory that come with their numbers, in any order.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// A table whose rows are put into their places as parts of it are computed: nothing is sorted, and a part is not kept.
class PlacedRows {
public:
    explicit PlacedRows(int64_t rows) : rows_(rows) {}

    // Takes rows and the number of each, from 0 on. Returns false, and then the table cannot be made, where a column is
    // no vector or has another type than before.
    bool add(const MemoryTable& part, const Value& numbers);
    // Returns the table. REQUIRES: each row was added once, and no call of add returned false.
    Ref<MemoryTable> finish();

private:
    int64_t rows_;
    int64_t added_ = 0;
    TableSchema schema_;
    std::vector<Ref<Vector>> columns_;
};

}  // namespace pelorus
