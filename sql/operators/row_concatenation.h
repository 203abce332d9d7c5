// Concatenation of rows that are computed piece by piece: of groups, partitions, chunks.
#pragma once

#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// A column that concatenates pieces. No piece decides for the others: it has the common type of all values, decimals
// with the largest scale. NULLs of no type take that of the others, INT where all are such; pieces without rows count
// only where there are no others. Without a common type every value keeps its type (ANY).
class ColumnConcatenation {
public:
    void add(Value items);
    Value finish();

private:
    std::vector<Value> runs_;  // neighbouring pieces of one type are one
    Value noRows_;
};

// Concatenation of all columns.
class RowConcatenation {
public:
    // Throws UserError when there are more or fewer columns than before.
    void add(const MemoryTable& rows);
    // Returns the table with the names of the first piece; null when there was none.
    Ref<MemoryTable> finish();

private:
    std::vector<std::string> names_;
    std::vector<ColumnConcatenation> columns_;
};

}  // namespace pelorus
