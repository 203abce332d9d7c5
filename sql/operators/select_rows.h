// Rows of a source that pass the conditions of a query, and functions of whole columns of them.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

// Computes functions of whole columns over the concatenated rows that pass all filters.
Ref<MemoryTable> collectedItems(const SelectPlan& plan, Context& context);

// Returns the columns of the source that the query mentions, in ascending order; the first one when it mentions none.
std::vector<int> mentionedColumns(const SelectPlan& plan);
// Returns the rows that pass all filters, with the columns that the query mentions.
Ref<MemoryTable> filteredRows(const SelectPlan& plan, Context& context);
// Applies the later filters of the plan to a table of such rows.
Ref<MemoryTable> filterLater(const SelectPlan& plan, Ref<MemoryTable> rows, Context& context);

// Adds the value of an output expression to a result: a vector of its rows, a scalar repeated, or several columns.
void addOutput(MemoryTable& result, const OutputItem& item, Value value, int64_t rows);

// Evaluates an order's expressions over rows: a value for each row. Constants, which order nothing, are left out.
std::vector<OrderKey> orderKeys(const std::vector<OrderItem>& items, const MemoryTable& rows, Context& context);

}  // namespace pelorus
