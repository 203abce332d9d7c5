#include "distributed/table/distributed_table.h"

#include <map>
#include <set>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/placement.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_snapshot.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"

namespace pelorus {

DistributedTable::DistributedTable(std::shared_ptr<ClusterParts> parts, Catalog& catalog, DatabaseEntry database,
                                   TableEntry entry, OutsideRules rules)
    : CatalogTable(catalog, std::move(database), std::move(entry), rules), parts_(std::move(parts)) {}

void DistributedTable::store(std::vector<TableChunks> parts) {
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::vector<ChunkRows> chunks;
        Replicas replicas;
        for (auto& [table, ofTable] : parts) {
            const Replicas places = parts_->placement.replicasOf(table->entry(), ofTable);
            replicas.insert(replicas.end(), places.begin(), places.end());
            chunks.insert(chunks.end(), ofTable.begin(), ofTable.end());
        }
        if (parts_->coordinator.store(chunks, replicas)) return;
        // A partition, or one of the tables itself, was dropped since this node last heard of it.
        parts_->placement.refresh();
        for (const TableChunks& part : parts) static_cast<const DistributedTable&>(*part.table).checkExists();
    }
    throw SystemError("Partitions of " + name + " are dropped all the time; nothing was written.", "Try again.", true);
}

std::shared_ptr<TableSnapshot> DistributedTable::takeSnapshot(uint64_t number) const {
    std::shared_ptr<void> held = heldEntry(number == 0);
    const auto pathOf = [this](const std::string& path) { return partitionPath(path); };
    std::shared_ptr<ClusterQuery> query =
        number == 0 ? parts_->queries.begin(parts_->cluster, parts_->participant) : parts_->queries.find(number);
    PlacedChunks chunks = parts_->participant.map().view(entry().id).chunks;
    std::shared_ptr<TableSnapshot> snapshot;
    if (query) {
        snapshot = std::make_shared<DistributedSnapshot>(parts_, std::move(query), std::move(chunks), entry(), pathOf);
    } else {
        snapshot = std::make_shared<DistributedSnapshot>(parts_, number, parts_->participant.opened(number),
                                                         std::move(chunks), entry(), pathOf);
    }
    return holding(std::move(held), std::move(snapshot));
}

int64_t DistributedTable::rowCount() const {
    const auto query = parts_->queries.begin(parts_->cluster, parts_->participant);
    const PlacedChunks chunks = parts_->participant.map().view(entry().id).chunks;
    std::vector<const PlacedChunk*> all;
    for (const PlacedChunk& chunk : *chunks) all.push_back(&chunk);
    const std::vector<std::string> nodes = query->nodesOf(all);
    std::map<std::string, std::set<std::string>> paths;  // by node
    for (size_t i = 0; i < all.size(); ++i) paths[nodes[i]].insert(all[i]->path);
    const std::vector<std::pair<std::string, std::set<std::string>>> list(paths.begin(), paths.end());
    std::vector<int64_t> counts(list.size());
    callInParallel(list.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        const auto& [node, own] = list[i];
        if (node.empty()) {
            counts[i] = parts_->participant.rowCount(entry(), own);
            return;
        }
        const std::vector<Value> arguments{
            Value::ofString(entry().database), Value::ofString(entry().name),
            Value::of(Vector::ofStrings(std::vector<std::string>(own.begin(), own.end())))};
        counts[i] =
            parts_->cluster.call(node, systemRequest(), "nodeRowCount", arguments, {.abandon = &abandon}).integer();
    });
    int64_t total = 0;
    for (int64_t count : counts) total += count;
    return total;
}

}  // namespace pelorus
