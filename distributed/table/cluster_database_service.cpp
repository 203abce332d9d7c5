#include "distributed/table/cluster_database_service.h"

#include <algorithm>
#include <cstdint>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/placement.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_table.h"
#include "distributed/table/node_return.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/sync_states.h"

namespace pelorus {
namespace {

Value pathsValue(const std::vector<std::string>& paths) {
    return Value::of(Vector::ofStrings(paths));
}
Value idValue(uint64_t table) {
    return Value::ofLong(static_cast<int64_t>(table));
}

}  // namespace

ClusterDatabaseService::ClusterDatabaseService(Cluster& cluster, Participant& participant, size_t replicationFactor,
                                               OutsideRules rules)
    : cluster_(cluster),
      participant_(participant),
      catalog_(cluster.store()),
      placement_(std::make_unique<Placement>(cluster, cluster.store(), participant.map(), replicationFactor)),
      syncStates_(std::make_unique<SyncStates>(cluster, participant)),
      coordinator_(std::make_unique<Coordinator>(cluster, participant, *syncStates_)),
      queries_(std::make_unique<ClusterQueries>()),
      parts_(std::make_shared<ClusterParts>(ClusterParts{cluster, *placement_, participant, *coordinator_, *queries_})),
      return_(std::make_unique<NodeReturn>(*parts_, catalog_)),
      rules_(rules) {}

ClusterDatabaseService::~ClusterDatabaseService() = default;

LocalStorage& ClusterDatabaseService::ownStorage() {
    return participant_.storage();
}

Ref<PartitionedTable> ClusterDatabaseService::open(const DatabaseEntry& database, const TableEntry& table) {
    return makeRef<DistributedTable>(parts_, catalog_, database, table, rules_);
}

// A node that is away is left out: it checks by itself when it comes back.
void ClusterDatabaseService::onAllNodes(std::string_view function, const std::vector<Value>& arguments) {
    std::vector<std::string> nodes;
    for (const ClusterMember& member : cluster_.members()) {
        if (cluster_.isAlive(member.alias)) nodes.push_back(member.alias);
    }
    callInParallel(nodes.size(), [&](size_t i, const std::atomic<bool>&) {
        cluster_.call(nodes[i], systemRequest(), function, arguments);
    });
}

// The tombstone of the table in the catalog stays until every node with rows of it was notified: one that is away
// checks it when it comes back.
void ClusterDatabaseService::removeRows(uint64_t table) {
    bool all = true;
    const PlacedChunks chunks = participant_.map().view(table).chunks;
    for (const PlacedChunk& chunk : *chunks) {
        for (const std::string& alias : chunk.replicas) all = all && cluster_.isAlive(alias);
    }
    placement_->forget(table, {});
    onAllNodes("nodeRemoveRows", {idValue(table), pathsValue({}), idValue(INT64_MAX)});
    if (all) catalog_.removeTombstone(table);
}

void ClusterDatabaseService::truncate(uint64_t table) {
    requireNodesOf(table, {});
    const uint64_t revision = placement_->forget(table, {});
    onAllNodes("nodeRemoveRows", {idValue(table), pathsValue({}), idValue(revision)});
}

// Partitions of a table that stays in the catalog are removed on living nodes only: a node that comes back would not be
// notified. They leave the list first, so that a later append makes the chunk again: its route is newer than the one
// that the nodes are then told to remove.
void ClusterDatabaseService::removePartitions(uint64_t table, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    requireNodesOf(table, paths);
    const uint64_t revision = placement_->forget(table, paths);
    onAllNodes("nodeRemoveRows", {idValue(table), pathsValue(paths), idValue(revision)});
}

void ClusterDatabaseService::requireNodesOf(uint64_t table, const std::vector<std::string>& paths) const {
    const PlacedChunks chunks = participant_.map().view(table).chunks;
    for (const PlacedChunk& chunk : *chunks) {
        if (!paths.empty() && std::find(paths.begin(), paths.end(), chunk.path) == paths.end()) continue;
        if (chunk.replicas.size() > 1) {
            throw UserError("The partition " + chunk.path +
                                " has several copies, and rows of such partitions can't be removed yet.",
                            "Drop the table, or keep the database with dfsReplicationFactor=1.");
        }
        if (!cluster_.isAlive(chunk.replicas[0])) {
            throw SystemError(
                "The partition " + chunk.path + " is kept by node " + chunk.replicas[0] + ", which is away.",
                "Try again when it is back.", true);
        }
    }
}

void ClusterDatabaseService::clearCache() {
    onAllNodes("nodeClearCache", {});
}

}  // namespace pelorus
