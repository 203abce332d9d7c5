// pivot by: values of a column as columns.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/function/context.h"
#include "sql/plan/select_plan.h"

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
PivotedRows selectPivot(const SelectPlan& plan, Context& context);
// Adds to each part all columns that any of them has, NULL where it has none, in the order of one pivot of all rows.
void unifyColumns(std::vector<PivotedRows>& parts, Context& context);
Value pivotMatrix(const PivotedRows& pivoted);

}  // namespace pelorus
