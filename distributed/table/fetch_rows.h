// Fetches rows of a partition as another node stores them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distributed/transaction/participant.h"
#include "distributed/transaction/stored_rows_reader.h"
#include "runtime/table/table.h"

namespace pelorus {

class Cluster;

// Returns the parts of a chunk in the snapshot of a query that is open on the node, in stored order: the table's sort
// rule is not applied. `hasOthers`: another node can take over when this one falls silent. Throws NodeLost when the
// node does not answer, and UserError with its message when it refuses, as when the query has ended there.
std::vector<Ref<MemoryTable>> fetchRows(Cluster& cluster, const std::string& node, uint64_t query, uint64_t table,
                                        const std::string& path, bool hasOthers);

// Returns the stamp of the node's copy of the partition. Throws as fetchRows.
StoredRowsReader::CopyStamp fetchCopyStamp(Cluster& cluster, const std::string& node, uint64_t query, uint64_t table,
                                           const std::string& path);

}  // namespace pelorus
