// Binding of what operators of whole columns read: the rows that pass all conditions, and expressions over them.
#pragma once

#include <optional>
#include <vector>

#include "runtime/function/context.h"
#include "sql/plan/node.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Returns the numbers of the source's columns that the clauses mention, in ascending order; the first one when they
// mention none.
std::vector<int> mentionedColumns(const SelectPlan& plan);

// Rows as whole columns, and which these are.
struct BoundRows {
    PlanRef rows;
    TableSchema columns;
};
// Makes the nodes that read the rows which pass all conditions of the clauses, with the columns that they mention.
BoundRows bindInput(const SelectPlan& plan, Context& context);
// Makes the nodes that read them with all columns of the source.
PlanRef bindAllRows(const SelectPlan& plan, Context& context);
// Makes the node that reads the source block by block. REQUIRES: no later conditions.
PlanRef bindScan(const SelectPlan& plan);

// Binds expressions over columns.
BoundItem boundItem(const OutputItem& item, const TableSchema& columns, Context& context);
std::vector<BoundItem> boundItems(const std::vector<OutputItem>& items, const TableSchema& columns, Context& context);
// Binds a condition that is written after `having`; nothing where there is none.
std::optional<BoundItem> boundHaving(const NodeRef& having, const TableSchema& columns, Context& context);

// Returns the expression under its names as LONG where it is the number of rows of a partitioned table that exec asks
// for, which is a sum of counts.
NodeRef countAsLong(const SelectPlan& plan, const OutputItem& written, NodeRef value);

}  // namespace pelorus
