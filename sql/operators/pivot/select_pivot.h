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
// Returns the plan of the cells: keys under the names " key0" …, values under " value0" …, grouped where that holds
// fewer rows. Throws UserError for clauses that do not go with pivot by.
SelectPlan planOfCells(const SelectPlan& plan, Context& context);
// Makes columns of the cells, which are rows of such a plan; if several rows share a cell, the last one stays.
PivotedRows selectPivot(const SelectPlan& plan, const Ref<MemoryTable>& table, Context& context);
// Adds to each part all columns that any of them has, NULL where it has none, in the order of one pivot of all rows.
void unifyColumns(std::vector<PivotedRows>& parts, Context& context);
Value pivotMatrix(const PivotedRows& pivoted);

}  // namespace pelorus
