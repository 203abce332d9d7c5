#include "distributed/table/chunk_copy.h"

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_identity.h"
#include "distributed/metadata/sync_rules.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_table.h"
#include "distributed/table/fetch_rows.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/stored_rows_reader.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/write_batch.h"
#include "storage/folder/local_storage.h"
#include "storage/log/stamp.h"
#include "storage/version/version_set.h"

namespace pelorus {

static constexpr int kAttempts = 20;

// Returns whether a copy from the source may replace this node's partition now; false after it has moved rows that the
// source never had to quarantine. Throws SystemError when this node has newer rows.
static bool makeWay(ClusterParts& parts, const ClusterQuery& query, const std::string& source,
                    const StoredRowsReader::CopyStamp& stamp, uint64_t table, const PlacedChunk& chunk) {
    LocalStorage& storage = parts.participant.storage();
    const VersionSet& versions = storage.versions();
    const uint64_t id = versions.find(table, chunk.path, query.here());
    const ChunkVersionRef own = id == 0 ? nullptr : versions.version(id, query.here());
    if (!own) return true;
    const uint64_t base = parts.participant.map().view().base;
    if (!mayReplace(own->changedAt, stamp.change, stamp.since, base)) {
        throw SystemError("The partition " + chunk.path + " has newer rows on this node than on " + source +
                              ", which is in sync; they were not replaced.",
                          "docs/operations.md, \"A lost disk\", says how to decide which copy counts.");
    }
    if (own->rowCount == 0 || mayReplace(own->changedAt, stamp.change, 0, base)) return true;
    putAside(storage, id, "The copy of the node " + source + " counts, which lacks these changes.");
    return false;
}

// Invariant: the copy replaces this node's snapshot at the source's revision, which has no row that the source lacks.
// Later decisions are installed after it. The place is read after the revision was taken: a node that had left the
// partition before it has no rows of it, and must not be asked.
void copyChunk(ClusterParts& parts, const std::string& database, uint64_t table, const std::string& path) {
    const std::string& self = parts.cluster.self().alias;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const auto query = parts.queries.begin(parts.cluster, parts.participant);
        const auto place = parts.participant.map().chunk(database, path);
        if (!place || !place->prepares(self)) return;
        const PlacedChunk& chunk = *place;
        const auto source = query->nodesOf(table, {&chunk})[0];
        if (source.node.empty()) throw SystemError("The partition " + chunk.path + " has no source.", "", true);
        const StoredRowsReader::CopyStamp copied =
            fetchCopyStamp(parts.cluster, source.node, query->number(), table, chunk.path);
        if (!makeWay(parts, *query, source.node, copied, table, chunk)) continue;
        // A source without a known change was complete at the revision `since`.
        const uint64_t complete = (copied.since + parts.participant.map().view().base) << stamp::kLowBits;
        const uint64_t changedAt = copied.change == 0 ? complete : copied.change;
        std::vector<ChunkRows> copy;
        if (!source.isEmpty()) {
            for (Ref<MemoryTable>& rows :
                 fetchRows(parts.cluster, source.node, query->number(), table, chunk.path, true))
                copy.push_back({table, chunk.path, chunk.index, std::move(rows)});
        }
        if (copy.empty()) copy.push_back({table, chunk.path, chunk.index, MemoryTable::empty({})});
        if (parts.participant.storage().commits().replace(std::move(copy), query->here(), changedAt)) return;
    }
    throw SystemError("The partition " + path + " is reordered all the time.", "", true);
}

}  // namespace pelorus
