#include "distributed/table/distributed_table.h"

#include <set>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/placement.h"
#include "distributed/table/distributed_snapshot.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"

namespace pelorus {

DistributedTable::DistributedTable(std::shared_ptr<ClusterParts> parts, Catalog& catalog, DatabaseEntry database,
                                   TableEntry entry, OutsideRules rules)
    : CatalogTable(catalog, std::move(database), std::move(entry), rules), parts_(std::move(parts)) {}

void DistributedTable::store(std::vector<ChunkRows> chunks) {
    constexpr int kAttempts = 100;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const std::vector<std::string> nodes = parts_->placement.nodesOf(entry(), chunks);
        if (parts_->coordinator.store(chunks, nodes)) return;
        // A partition, or the table itself, was dropped since this node last read the list.
        parts_->placement.forgetRoutes(entry().id);
        checkExists();
    }
    throw SystemError("Partitions of " + name + " are dropped all the time; nothing was written.", "Try again.", true);
}

std::shared_ptr<TableSnapshot> DistributedTable::takeSnapshot(uint64_t number) const {
    std::shared_ptr<void> held = heldEntry(number == 0);
    std::unique_ptr<SnapshotHold> hold;
    PlacedChunks chunks;
    if (number == 0) {
        hold = std::make_unique<SnapshotHold>(parts_, entry().id);
        number = hold->number();
        chunks = hold->chunks();
    } else {
        chunks = parts_->placement.chunks(entry().id);
    }
    parts_->participant.storage().serve(number);
    auto snapshot = std::make_shared<DistributedSnapshot>(
        parts_, std::move(hold), std::move(chunks), entry(),
        [this](const std::string& path) { return partitionPath(path); }, number);
    return holding(std::move(held), std::move(snapshot));
}

int64_t DistributedTable::rowCount() const {
    std::set<std::string> nodes;
    const auto chunks = parts_->placement.chunks(entry().id);  // held while it is walked: a commit may replace the list
    for (const PlacedChunk& chunk : *chunks) nodes.insert(chunk.node);
    const std::vector<std::string> list(nodes.begin(), nodes.end());
    std::vector<int64_t> counts(list.size());
    callInParallel(list.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        if (list[i] == parts_->cluster.self().alias) {
            counts[i] = parts_->participant.rowCount(entry());
            return;
        }
        const std::vector<Value> arguments{Value::ofString(entry().database), Value::ofString(entry().name)};
        counts[i] = parts_->cluster.call(list[i], systemRequest(), "nodeRowCount", arguments, &abandon).integer();
    });
    int64_t total = 0;
    for (int64_t count : counts) total += count;
    return total;
}

}  // namespace pelorus
