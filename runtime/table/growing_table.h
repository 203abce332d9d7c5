// A partitioned table whose columns come with the values that are set: one in memory. MEM-21.
#pragma once

#include "runtime/table/table.h"

namespace pelorus {

class GrowingTable {
public:
    virtual ~GrowingTable() = default;
    // A new last column; NULL in the rows that are there. Throws UserError when there is one of that name.
    virtual void addColumn(const ColumnSchema& column) = 0;
};

}  // namespace pelorus
