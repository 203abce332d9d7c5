// pivot by: values of a column as columns.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/function/context.h"
#include "sql/plan/group_nodes.h"

namespace pelorus {

// A column of a pivot: the value that it shows, and its column key; -1 where a row function left one column.
struct PivotColumn {
    size_t item = 0;
    int64_t key = -1;
};
// The wide table of pivot by, and properties that exec needs for a matrix.
struct PivotedRows {
    Ref<MemoryTable> table;
    std::vector<PivotColumn> columns;  // those after the row keys
    int keyColumns = 0;                // the first columns hold the row keys
    Value columnKeys;                  // the values that became columns
    bool reduced = false;              // a row function left one column
};
// Makes columns of the cells, the rows of the node's input; if several rows share a cell, the last one stays.
PivotedRows pivotedRows(const PivotNode& node, const MemoryTable& cells, Context& context);
// Adds to each part all columns that any of them has, NULL where it has none, in the order of one pivot of all rows.
void unifyColumns(std::vector<PivotedRows>& parts);
Value pivotMatrix(const PivotedRows& pivoted);

}  // namespace pelorus
