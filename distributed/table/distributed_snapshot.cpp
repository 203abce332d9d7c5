#include "distributed/table/distributed_snapshot.h"
#include "storage/version/version_set.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/replica_places.h"
#include "distributed/table/cluster_query.h"
#include "distributed/table/distributed_table.h"
#include "distributed/table/fetch_rows.h"
#include "distributed/transaction/participant.h"

namespace pelorus {

DistributedSnapshot::DistributedSnapshot(std::shared_ptr<ClusterParts> parts, std::shared_ptr<ClusterQuery> query,
                                         PlacedChunks chunks, const TableEntry& table, const PathOf& pathOf)
    : parts_(std::move(parts)),
      query_(std::move(query)),
      number_(query_->number()),
      table_(table.id),
      pin_(parts_->participant.storage().versions(), query_->here()),
      schema_(table.storedSchema()),
      rule_(sortRuleOf(table)),
      chunks_(std::move(chunks)) {
    VersionSet& versions = parts_->participant.storage().versions();
    for (const PlacedChunk& chunk : *chunks_) {
        if (!isPartitionOf(table, chunk)) continue;
        const std::string node = query_->preferred(chunk);
        const bool isHere = query_->isHere(chunk);
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
      table_(table.id),
      pin_(parts_->participant.storage().versions(), here),
      schema_(table.storedSchema()),
      rule_(sortRuleOf(table)),
      chunks_(std::move(chunks)) {
    VersionSet& versions = parts_->participant.storage().versions();
    for (const PlacedChunk& chunk : *chunks_) {
        if (!isPartitionOf(table, chunk)) continue;
        // A partition that the other node asks for by its path must be listed, empty or not: it cannot know from afar.
        const uint64_t id = versions.find(table.id, chunk.path, here);
        partitions_.push_back({pathOf(chunk.path), chunk.index, ""});
        places_.push_back(&chunk);
        versions_.push_back(id ? versions.version(id, here) : nullptr);
        isHere_.push_back(true);
    }
}

// Fetches a partition that other nodes keep as it is stored there, from the next replica when one is lost.
std::unique_ptr<PartitionReader> DistributedSnapshot::open(size_t partition) const {
    CHECK(partition < partitions_.size()) << "partitions are opened by their places in the snapshot";
    if (isHere_[partition]) return makeChunkReader(versions_[partition], schema_, rule_);
    const std::string& path = places_[partition]->path;
    if (!query_) {
        const PartitionEntry& entry = partitions_[partition];
        throw UserError("The partition " + entry.path + " is kept by node " + entry.node + ".");
    }
    auto version = std::make_shared<ChunkVersion>();
    while (query_->rows(table_, path) != 0) {
        const auto place = served({partition})[0];
        if (place.isEmpty()) break;
        try {
            for (Ref<MemoryTable>& rows : fetchRows(parts_->cluster, place.node, number_, table_, path,
                                                    query_->hasAnother(*places_[partition], place.node))) {
                const int64_t count = rows->rowCount();
                version->rowCount += count;
                version->parts.push_back({nullptr, std::move(rows), count, 0});
            }
            break;
        } catch (const NodeLost& error) {
            query_->lose(place.node, error.what());
            version = std::make_shared<ChunkVersion>();
        }
    }
    return makeChunkReader(version, schema_, rule_);
}

std::vector<ClusterQuery::Served> DistributedSnapshot::served(const std::vector<size_t>& partitions,
                                                              bool mayBeAway) const {
    CHECK(query_ != nullptr) << "parts of other processes' queries are not passed on";
    std::vector<const PlacedChunk*> chunks;
    for (const size_t partition : partitions) chunks.push_back(places_[partition]);
    return query_->nodesOf(table_, chunks, mayBeAway);
}

std::vector<std::string> DistributedSnapshot::openNodes(const std::vector<size_t>& partitions) {
    std::vector<std::string> nodes;
    for (const auto& served : served(partitions)) nodes.push_back(served.node);
    return nodes;
}

std::vector<size_t> DistributedSnapshot::withRows(const std::vector<size_t>& partitions) {
    const auto all = served(partitions, true);
    std::vector<size_t> found;
    for (size_t i = 0; i < all.size(); ++i) {
        if (!all[i].isEmpty()) found.push_back(partitions[i]);
    }
    return found;
}

RemotePartitions::Replicas DistributedSnapshot::replicasOf(size_t partition) const {
    Replicas replicas{places_[partition]->replicas, {}};
    for (const Learner& learner : places_[partition]->learners) replicas.learners.push_back(learner.alias);
    return replicas;
}

int64_t DistributedSnapshot::storedRows(size_t partition) const {
    if (isHere_[partition]) return versions_[partition] ? versions_[partition]->rowCount : 0;
    return served({partition})[0].rows.value_or(0);
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
