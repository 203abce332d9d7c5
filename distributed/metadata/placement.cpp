#include "distributed/metadata/placement.h"

#include <algorithm>
#include <set>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_map.h"
#include "storage/catalog/catalog.h"
#include "storage/commit/write_batch.h"

namespace pelorus {

// By default etcd accepts 128 writes, and as many conditions, in a transaction.
static constexpr size_t kPlacesPerTransaction = 60;
static constexpr auto kMapTimeout = std::chrono::seconds(5);

std::optional<std::vector<PlacedChunk>> Placement::placesOf(const TableEntry& table,
                                                            const std::vector<ChunkRows>& chunks) {
    for (;;) {
        std::vector<PlacedChunk> places;
        for (const ChunkRows& chunk : chunks) {
            auto placed = map_.chunk(table.database, chunk.path);
            if (!placed) break;
            places.push_back(std::move(*placed));
        }
        if (places.size() == chunks.size()) return places;
        if (!placeMissing(table, chunks)) return std::nullopt;
    }
}

void Placement::refresh() {
    map_.await(map_.currentRevision(), kMapTimeout);
}

// Returns the nodes for a new partition, and counts it in `load`: those in sync first, one at least; then those that
// answer, those on hosts that are not chosen yet, and those with the fewest partitions. Throws SystemError (retryable)
// when no node is in sync.
std::vector<std::string> Placement::choose(std::map<std::string, int64_t>& load) const {
    const auto config = map_.config();
    std::map<std::string, std::string> hosts;
    for (const ClusterMember& member : cluster_.members()) hosts[member.alias] = member.host;
    std::vector<std::string> chosen;
    std::set<std::string> chosenHosts;
    while (chosen.size() < factor_) {
        const NodeConfig* best = nullptr;
        const auto rank = [&](const NodeConfig& node) {
            const bool isIn = node.state == NodeState::In;
            const bool answers = cluster_.isAlive(node.alias) && !cluster_.isSilent(node.alias);
            return std::tuple(!isIn, !answers, chosenHosts.count(hosts[node.alias]) != 0, load[node.alias],
                              node.number);
        };
        for (const NodeConfig& node : config->nodes) {
            if (std::find(chosen.begin(), chosen.end(), node.alias) != chosen.end()) continue;
            if (best == nullptr || rank(node) < rank(*best)) best = &node;
        }
        if (best == nullptr || (chosen.empty() && best->state != NodeState::In)) break;
        chosen.push_back(best->alias);
        chosenHosts.insert(hosts[best->alias]);
    }
    if (chosen.empty()) throw SystemError("No node of the cluster is in sync to take new partitions.", "", true);
    for (const std::string& alias : chosen) ++load[alias];
    return chosen;
}

// Places those of the chunks that have no place, in several transactions where there are many; when another node was
// quicker, the caller finds its places. Returns false when the table has changed: nobody places a partition of a
// database that is dropped.
bool Placement::placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks) {
    refresh();
    const MetaCondition entry = isUnchanged(table);
    if (!map_.isUnchanged(table.id, entry)) return false;
    const auto config = map_.config();
    std::map<std::string, int64_t> load;
    const PlacedChunks placed = map_.chunks(table.database);
    for (const PlacedChunk& chunk : *placed) {
        for (const std::string& alias : chunk.replicas) ++load[alias];
    }
    std::vector<const ChunkRows*> missing;
    for (const ChunkRows& chunk : chunks) {
        if (!map_.chunk(table.database, chunk.path)) missing.push_back(&chunk);
    }
    for (size_t begin = 0; begin < missing.size(); begin += kPlacesPerTransaction) {
        const size_t end = std::min(missing.size(), begin + kPlacesPerTransaction);
        std::vector<MetaCondition> conditions{entry, {kConfigKey, config->revision}};
        std::vector<MetaWrite> writes;
        for (size_t i = begin; i < end; ++i) {
            const PlacedChunk place{missing[i]->path, missing[i]->index, choose(load), {}, {}, {}, 0, {}};
            const std::string key = placeKey(table.database, place.path);
            conditions.push_back({key, 0});
            writes.push_back({key, encodePlace(place), 0});
        }
        if (!store_.transact(conditions, writes).done) break;
    }
    refresh();
    return true;
}

}  // namespace pelorus
