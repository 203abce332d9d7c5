// Updates and deletes of partitions that other nodes keep: the new rows are computed there.
#pragma once

#include <memory>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {

class FunctionRegistry;

// The new rows of a partition after an update or delete, null when none changes, and how many the statement chose.
struct ChangedPart {
    Ref<MemoryTable> rows;
    int64_t matched = 0;
};
// Computes a change of these partitions of a snapshot, by position, where they are stored. It reads no other table.
std::vector<ChangedPart> changedParts(const Query& query, PartitionedTable& table,
                                      const std::shared_ptr<TableSnapshot>& snapshot,
                                      const std::vector<size_t>& partitions, Context& context);

// Registers the built-in that the other side runs.
void registerRemoteChange(FunctionRegistry& registry);

}  // namespace pelorus
