#include "distributed/table/distributed_table.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"

#include <iterator>
#include <map>
#include <set>

#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/cluster/parallel_calls.h"
#include "distributed/cluster/system_request.h"
#include "distributed/metadata/placement.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_snapshot.h"
#include "distributed/transaction/coordinator.h"
#include "distributed/transaction/participant.h"
#include "distributed/transaction/snapshot_pins.h"
#include "distributed/transaction/stored_rows_reader.h"
#include "runtime/append/table_transaction.h"

namespace pelorus {

DistributedTable::DistributedTable(std::shared_ptr<ClusterParts> parts, Catalog& catalog, DatabaseEntry database,
                                   TableEntry entry, OutsideRules rules)
    : CatalogTable(catalog, std::move(database), std::move(entry), rules), parts_(std::move(parts)) {}

// The map has the newest entry of a changed table when the rows are bound anew.
bool DistributedTable::appendChunks(std::vector<TableChunks> parts, Transaction* with) {
    PlacedBatch batch;
    for (TableChunks& part : parts) {
        const auto places = parts_->placement.placesOf(part.entry, part.chunks);
        if (!places) return false;
        batch.places.insert(batch.places.end(), places->begin(), places->end());
        std::move(part.chunks.begin(), part.chunks.end(), std::back_inserter(batch.chunks));
        batch.tables[part.entry.id] = isUnchanged(part.entry);
    }
    if (parts_->coordinator.append(batch) != CommitResult::Done) {
        parts_->placement.refresh();
        return false;
    }
    // A cluster has no row tables, so that the transaction has locks alone.
    if (with != nullptr) with->commit();
    return true;
}

// The chunks are replaced as on one node. The replicas of all partitions hold the snapshot of the rows, and compare.
bool DistributedTable::replaceChunks(std::vector<ReplacedChunk> chunks, const TableSnapshot& seen,
                                     const TableEntry& entry) {
    const auto& snapshot = dynamic_cast<const DistributedSnapshot&>(seen);
    PlacedBatch batch;
    for (const ReplacedChunk& chunk : chunks) {
        ChunkRows& rows = batch.chunks.emplace_back(chunk.rows);
        rows.replaces = ChunkRows::Replaces::Seen;
        rows.seenRows = chunk.position ? snapshot.storedRows(*chunk.position) : 0;
    }
    auto places = parts_->placement.placesOf(entry, batch.chunks);
    if (!places) return false;
    batch.places = std::move(*places);
    std::vector<const PlacedChunk*> asked;
    for (const PlacedChunk& place : batch.places) asked.push_back(&place);
    snapshot.query()->openForChange(entry.id, asked);
    batch.tables[entry.id] = isUnchanged(entry);
    batch.query = snapshot.number();
    const CommitResult result = parts_->coordinator.append(batch);
    if (result == CommitResult::Done) return true;
    if (result != CommitResult::RowsChanged) {
        parts_->placement.refresh();
        return false;
    }
    if (commitsByPartition()) return false;
    throw SystemError("<ChunkInTransaction>Another update or delete changed a partition of " + name +
                          " at the same time. Nothing of this one was written.",
                      "Run it again; in a database with atomic='CHUNK' that happens by itself.", true);
}

// The query takes the newest revision; what the map has then is bound, without asking again.
std::shared_ptr<TableSnapshot> DistributedTable::takeSnapshot(uint64_t number) const {
    std::shared_ptr<ClusterQuery> query =
        number == 0 ? parts_->queries.begin(parts_->cluster, parts_->participant) : parts_->queries.find(number);
    const MetaMoment moment(MetaMoment::Begin::Before);
    std::shared_ptr<void> held = heldEntry(number == 0);
    const auto pathOf = [this](const std::string& path) { return partitionPath(path); };
    PlacedChunks chunks = parts_->participant.map().chunks(entry().database);
    std::shared_ptr<TableSnapshot> snapshot;
    if (query) {
        snapshot = std::make_shared<DistributedSnapshot>(parts_, std::move(query), std::move(chunks), entry(), pathOf);
    } else {
        snapshot = std::make_shared<DistributedSnapshot>(parts_, number, parts_->participant.pins().snapshot(number),
                                                         std::move(chunks), entry(), pathOf);
    }
    return holding(std::move(held), std::move(snapshot));
}

int64_t DistributedTable::rowCount() const {
    const auto query = parts_->queries.begin(parts_->cluster, parts_->participant);
    const PlacedChunks chunks = parts_->participant.map().chunks(entry().database);
    std::vector<const PlacedChunk*> all;
    for (const PlacedChunk& chunk : *chunks) {
        if (isPartitionOf(entry(), chunk)) all.push_back(&chunk);
    }
    const auto nodes = query->nodesOf(entry().id, all);
    std::map<std::string, std::set<std::string>> paths;  // by node
    for (size_t i = 0; i < all.size(); ++i) {
        if (!nodes[i].isEmpty()) paths[nodes[i].node].insert(all[i]->path);
    }
    const std::vector<std::pair<std::string, std::set<std::string>>> list(paths.begin(), paths.end());
    std::vector<int64_t> counts(list.size());
    callInParallel(list.size(), [&](size_t i, const std::atomic<bool>& abandon) {
        const auto& [node, own] = list[i];
        if (node.empty()) {
            counts[i] = parts_->participant.reader().visibleRows(entry(), own);
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
