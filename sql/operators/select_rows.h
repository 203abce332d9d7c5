// Rows of a source that pass the conditions of a query, and functions of whole columns of them.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/sort/row_order.h"
#include "sql/plan/node.h"

namespace pelorus {

// Returns the rows of a scan, with its columns, from this source.
Ref<MemoryTable> scannedRows(const ScanNode& scan, const RowSource& source, Context& context);
// Applies the conditions of a filter to rows.
Ref<MemoryTable> filteredRows(const FilterNode& filter, Ref<MemoryTable> rows, Context& context);
// Computes functions of whole columns of the rows.
Ref<MemoryTable> collectedItems(const CollectNode& node, const MemoryTable& rows, Context& context);

// Adds the value of an output expression to a result: a vector of its rows, a scalar repeated, or several columns.
void addOutput(MemoryTable& result, const OutputItem& item, Value value, int64_t rows);

// Evaluates an order's expressions over rows: a value for each row. Constants, which order nothing, are left out.
std::vector<OrderKey> orderKeys(const std::vector<OrderItem>& items, const MemoryTable& rows, Context& context);
std::vector<OrderKey> orderKeys(const std::vector<OrderExpression>& keys, const MemoryTable& rows, Context& context);

}  // namespace pelorus
