#include "distributed/table/cluster_database_service.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"

#include <algorithm>
#include <cstdint>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/cluster_keys.h"
#include "distributed/metadata/map_store.h"
#include "distributed/metadata/placement.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_table.h"
#include "distributed/table/learner_copies.h"
#include "distributed/table/node_return.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/placed_batch.h"
#include "distributed/transaction/sync_states.h"
#include "runtime/table/table.h"

namespace pelorus {
ClusterDatabaseService::ClusterDatabaseService(Cluster& cluster, Participant& participant, size_t replicationFactor,
                                               OutsideRules rules)
    : cluster_(cluster),
      participant_(participant),
      names_(std::make_unique<MapStore>(cluster.store(), participant.map())),
      catalog_(*names_, placesOf),
      placement_(std::make_unique<Placement>(cluster, cluster.store(), participant.map(), replicationFactor)),
      syncStates_(std::make_unique<SyncStates>(cluster, participant)),
      coordinator_(std::make_unique<Coordinator>(cluster, participant, *syncStates_)),
      queries_(std::make_unique<ClusterQueries>()),
      parts_(std::make_shared<ClusterParts>(
          ClusterParts{cluster, *placement_, participant, *coordinator_, *queries_, *syncStates_})),
      return_(std::make_unique<NodeReturn>(*parts_, catalog_)),
      learners_(std::make_unique<LearnerCopies>(*parts_, catalog_)),
      rules_(rules) {}

ClusterDatabaseService::~ClusterDatabaseService() = default;

LocalStorage& ClusterDatabaseService::ownStorage() {
    return participant_.storage();
}

Ref<PartitionedTable> ClusterDatabaseService::open(const DatabaseEntry& database, const TableEntry& table) {
    return makeRef<DistributedTable>(parts_, catalog_, database, table, rules_);
}

// Calls a function on all living nodes, concurrently. Throws the first error, after all calls have ended.
void ClusterDatabaseService::onAllNodes(std::string_view function, const std::vector<Value>& arguments) {
    std::vector<std::string> nodes;
    for (const ClusterMember& member : cluster_.members()) {
        if (cluster_.isAlive(member.alias)) nodes.push_back(member.alias);
    }
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>&) {
        cluster_.call(nodes[i], systemRequest(), function, arguments);
    });
}

void ClusterDatabaseService::truncate(uint64_t table) {
    clear(table, nullptr);
}

void ClusterDatabaseService::removePartitions(uint64_t table, const std::vector<std::string>& paths) {
    if (!paths.empty()) clear(table, &paths);
}

// The rows that exist when the transaction takes its turn are removed; partitions without rows at the beginning are
// left out.
void ClusterDatabaseService::clear(uint64_t table, const std::vector<std::string>* paths) {
    for (;;) {
        const auto query = queries_->begin(cluster_, participant_);
        const auto known = participant_.map().table(table);
        const auto entry = known ? participant_.map().entry(known->entry.key) : std::nullopt;
        if (!entry) throw UserError("The table has been dropped.", "Open it again with loadTable.");
        const TableEntry now = tableEntryOf(*entry);
        const PlacedChunks places = participant_.map().chunks(now.database);
        std::vector<const PlacedChunk*> asked;
        for (const PlacedChunk& place : *places) {
            const bool isOfTable = isPartitionOf(now, place);
            const bool isNamed =
                paths == nullptr || std::find(paths->begin(), paths->end(), place.path) != paths->end();
            if (isOfTable && isNamed) asked.push_back(&place);
        }
        const auto served = query->nodesOf(table, asked);
        PlacedBatch batch;
        for (size_t i = 0; i < asked.size(); ++i) {
            if (served[i].isEmpty()) continue;
            ChunkRows& chunk = batch.chunks.emplace_back();
            chunk.table = table;
            chunk.path = asked[i]->path;
            chunk.index = asked[i]->index;
            chunk.rows = MemoryTable::empty(now.storedSchema());
            chunk.replaces = ChunkRows::Replaces::All;
            batch.places.push_back(*asked[i]);
        }
        batch.tables[table] = isUnchanged(now);
        if (coordinator_->append(batch) == CommitResult::Done) return;
    }
}

void ClusterDatabaseService::clearCache() {
    onAllNodes("nodeClearCache", {});
}

}  // namespace pelorus
