#include "distributed/table/cluster_database_service.h"

#include <algorithm>
#include <cstdint>

#include "common/error.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"

namespace pelorus {
namespace {

Value pathsValue(const std::vector<std::string>& paths) {
    return Value::of(Vector::ofStrings(paths));
}
Value idValue(uint64_t table) {
    return Value::ofLong(static_cast<int64_t>(table));
}

}  // namespace

ClusterDatabaseService::ClusterDatabaseService(Cluster& cluster, Participant& participant, OutsideRules rules)
    : cluster_(cluster),
      participant_(participant),
      catalog_(cluster.store()),
      placement_(cluster, cluster.store()),
      coordinator_(cluster, participant),
      parts_(std::make_shared<ClusterParts>(ClusterParts{cluster, placement_, participant, coordinator_})),
      rules_(rules) {}

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
    const auto chunks = placement_.chunks(table);  // held while it is walked: a commit may replace the list
    for (const PlacedChunk& chunk : *chunks) all = all && cluster_.isAlive(chunk.node);
    placement_.forget(table, {});
    onAllNodes("nodeRemoveRows", {idValue(table), pathsValue({}), idValue(INT64_MAX)});
    if (all) catalog_.removeTombstone(table);
}

void ClusterDatabaseService::truncate(uint64_t table) {
    const auto chunks = placement_.chunks(table);
    requireNodesOf(*chunks, {});
    const uint64_t revision = placement_.forget(table, {});
    onAllNodes("nodeRemoveRows", {idValue(table), pathsValue({}), idValue(revision)});
}

// Partitions of a table that stays in the catalog are removed on living nodes only: a node that comes back would not be
// notified. They leave the list first, so that a later append makes the chunk again: its route is newer than the one
// that the nodes are then told to remove.
void ClusterDatabaseService::removePartitions(uint64_t table, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    const auto chunks = placement_.chunks(table);
    requireNodesOf(*chunks, paths);
    const uint64_t revision = placement_.forget(table, paths);
    onAllNodes("nodeRemoveRows", {idValue(table), pathsValue(paths), idValue(revision)});
}

void ClusterDatabaseService::requireNodesOf(const std::vector<PlacedChunk>& chunks,
                                            const std::vector<std::string>& paths) const {
    for (const PlacedChunk& chunk : chunks) {
        const bool wanted = paths.empty() || std::find(paths.begin(), paths.end(), chunk.path) != paths.end();
        if (wanted && !cluster_.isAlive(chunk.node)) {
            throw SystemError("The partition " + chunk.path + " is kept by node " + chunk.node + ", which is away.",
                              "Try again when it is back.", true);
        }
    }
}

void ClusterDatabaseService::clearCache() {
    onAllNodes("nodeClearCache", {});
}

}  // namespace pelorus
