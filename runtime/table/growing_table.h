// A partitioned table in memory, whose columns are added by assigning values.
#pragma once

#include "runtime/table/table.h"

namespace pelorus {

class GrowingTable {
public:
    virtual ~GrowingTable() = default;
    // Adds a last column; NULL in existing rows. Throws UserError when there is one of that name.
    virtual void addColumn(const ColumnSchema& column) = 0;
};

}  // namespace pelorus
