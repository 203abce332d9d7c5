#include "distributed/table/distributed_snapshot.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_table.h"
#include "distributed/transaction/participant.h"

namespace pelorus {

DistributedSnapshot::DistributedSnapshot(std::shared_ptr<ClusterParts> parts, std::shared_ptr<ClusterQuery> query,
                                         PlacedChunks chunks, const TableEntry& table, const PathOf& pathOf)
    : parts_(std::move(parts)),
      query_(std::move(query)),
      number_(query_->number()),
      pin_(parts_->participant.storage().versions(), query_->here()),
      schema_(table.storedSchema()),
      rule_(sortRuleOf(table)),
      chunks_(std::move(chunks)) {
    VersionSet& versions = parts_->participant.storage().versions();
    for (const PlacedChunk& chunk : *chunks_) {
        const std::string node = query_->preferred(chunk);
        const std::string& self = parts_->cluster.self().alias;
        const bool isHere = std::find(chunk.replicas.begin(), chunk.replicas.end(), self) != chunk.replicas.end() &&
                            (chunk.replicas.size() == 1 || query_->config().isIn(self));
        ChunkVersionRef version;
        if (isHere) {
            const uint64_t id = versions.find(table.id, chunk.path, pin_.number());
            version = id ? versions.version(id, pin_.number()) : nullptr;
            if (!version || version->rowCount == 0) continue;
        }
        partitions_.push_back({pathOf(chunk.path), chunk.index, node});
        places_.push_back(&chunk);
        versions_.push_back(std::move(version));
        isHere_.push_back(isHere);
    }
}

DistributedSnapshot::DistributedSnapshot(std::shared_ptr<ClusterParts> parts, uint64_t query, uint64_t here,
                                         PlacedChunks chunks, const TableEntry& table, const PathOf& pathOf)
    : parts_(std::move(parts)),
      number_(query),
      pin_(parts_->participant.storage().versions(), here),
      schema_(table.storedSchema()),
      rule_(sortRuleOf(table)),
      chunks_(std::move(chunks)) {
    VersionSet& versions = parts_->participant.storage().versions();
    const std::string& self = parts_->cluster.self().alias;
    for (const PlacedChunk& chunk : *chunks_) {
        // What the other node asks for by its path must be there, empty or not: from afar it could not tell.
        const bool isHere = std::find(chunk.replicas.begin(), chunk.replicas.end(), self) != chunk.replicas.end();
        const uint64_t id = isHere ? versions.find(table.id, chunk.path, here) : 0;
        partitions_.push_back({pathOf(chunk.path), chunk.index, isHere ? "" : chunk.replicas[0]});
        places_.push_back(&chunk);
        versions_.push_back(id ? versions.version(id, here) : nullptr);
        isHere_.push_back(isHere);
    }
}

std::unique_ptr<PartitionReader> DistributedSnapshot::open(size_t partition) const {
    CHECK(partition < partitions_.size()) << "partitions are opened by their places in the snapshot";
    if (!isHere_[partition]) {
        const PartitionEntry& entry = partitions_[partition];
        throw UserError("The partition " + entry.path + " is kept by node " + entry.node + ".");
    }
    return makeChunkReader(versions_[partition], schema_, rule_);
}

std::vector<std::string> DistributedSnapshot::openNodes(const std::vector<size_t>& partitions) {
    CHECK(query_ != nullptr) << "parts of other processes' queries are not passed on";
    std::vector<const PlacedChunk*> chunks;
    for (const size_t partition : partitions) chunks.push_back(places_[partition]);
    return query_->nodesOf(chunks);
}

bool DistributedSnapshot::hasOthers(const std::vector<size_t>& partitions, const std::string& node) const {
    return query_ != nullptr && std::all_of(partitions.begin(), partitions.end(), [&](size_t partition) {
               return query_->hasAnother(*places_[partition], node);
           });
}

void DistributedSnapshot::lose(const std::string& node, const std::string& why) {
    if (query_) query_->lose(node, why);
}

}  // namespace pelorus
