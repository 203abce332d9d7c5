// Partial queries that run where the partitions are stored: sent as source text with the values of its free names.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/row_item.h"

namespace pelorus {

// Whether other nodes keep partitions that the query reads.
bool needsOtherNodes(const RowSource& source, Context& context);

// Returns the saved groups of all parts of an Aggregate of the rows that pass, in the order of the partitions.
std::vector<Value> runPartsOnNodes(const AggregateNode& node, const RowSource& source, const NodeList& conditions,
                                   Context& context);

// Returns the rows of all nodes that pass the conditions, with these columns.
Ref<MemoryTable> gatherColumns(const RowSource& source, const NodeList& conditions, const std::vector<int>& columns,
                               Context& context);

// Returns the expressions over the rows of all nodes that pass the conditions, computed where the rows are stored: of
// each partition at most the first `needed`, in the order of the keys where there are some, partitions in order.
Ref<MemoryTable> rowsFromNodes(const RowSource& source, const NodeList& conditions, const std::vector<RowItem>& items,
                               const std::vector<TopKey>& keys, int64_t needed, Context& context);

// Calls `function(query, names, database, table, snapshot, paths, extra)` on every node with one of the partitions, and
// sorts the tuple of results, one per path, into their order.
std::vector<Value> callPartitions(PartitionedTable& table, const std::shared_ptr<TableSnapshot>& snapshot,
                                  const std::vector<size_t>& partitions, const Query& query, Context& context,
                                  const char* function, const Value& extra = Value());

// Returns the values of the names of a query that are no columns: STRING → ANY.
Value freeNames(const Query& query, const TableSchema& columns, Context& context);

}  // namespace pelorus
