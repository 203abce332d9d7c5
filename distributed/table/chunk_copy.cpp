#include "distributed/table/chunk_copy.h"

#include "common/error.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_table.h"
#include "distributed/table/fetch_rows.h"
#include "distributed/transaction/participant.h"
#include "storage/version/local_storage.h"

namespace pelorus {

static constexpr int kAttempts = 20;

// The snapshot here at the source's revision is what the copy replaces; it holds no row that the source lacks, and all
// that is decided later is installed behind it.
void copyChunk(ClusterParts& parts, uint64_t table, const PlacedChunk& chunk) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const auto query = parts.queries.begin(parts.cluster, parts.participant);
        const auto source = query->nodesOf(table, {&chunk})[0];
        if (source.node.empty()) throw SystemError("The partition " + chunk.path + " has no source.", "", true);
        std::vector<ChunkRows> copy;
        if (!source.isEmpty()) {
            for (Ref<MemoryTable>& rows : fetchRows(parts.cluster, source.node, query->number(), table, chunk.path))
                copy.push_back({table, chunk.path, chunk.index, std::move(rows)});
        }
        if (copy.empty()) copy.push_back({table, chunk.path, chunk.index, MemoryTable::empty({})});
        if (parts.participant.storage().replace(std::move(copy), query->here())) return;
    }
    throw SystemError("The partition " + chunk.path + " is reordered all the time.", "", true);
}

}  // namespace pelorus
