#include "distributed/metadata/placement.h"

#include <algorithm>
#include <set>

#include "common/check.h"
#include "common/error.h"
#include "distributed/cluster/cluster.h"
#include "distributed/metadata/cluster_map.h"
#include "storage/catalog/catalog.h"

namespace pelorus {

// etcd as it comes takes 128 writes, and as many conditions, in a transaction: one for the list and one for the clock,
// two for each chunk.
static constexpr size_t kChunksPerTransaction = 60;
static constexpr auto kMapPatience = std::chrono::seconds(5);

std::vector<std::vector<std::string>> Placement::replicasOf(const TableEntry& table, std::vector<ChunkRows>& chunks) {
    for (;;) {
        std::vector<std::vector<std::string>> replicas;
        for (ChunkRows& chunk : chunks) {
            auto placed = map_.chunk(table.id, chunk.path);
            if (!placed) break;
            chunk.route = placed->route;
            replicas.push_back(std::move(placed->replicas));
        }
        if (replicas.size() == chunks.size()) return replicas;
        placeMissing(table, chunks);
    }
}

void Placement::refresh() {
    map_.await(map_.currentRevision(), kMapPatience);
}

// Takes the nodes with the fewest partitions: those in sync first, one at least; living before silent, and others'
// hosts before that of a chosen one.
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

// Places them in as many transactions as they need; when another node was quicker, the caller looks again.
void Placement::placeMissing(const TableEntry& table, const std::vector<ChunkRows>& chunks) {
    refresh();
    const ClusterMap::View view = map_.view(table.id);
    std::map<std::string, std::vector<std::string>> placed = map_.places(table.database);
    std::map<std::string, int64_t> load;
    for (const auto& [path, replicas] : placed) {
        for (const std::string& alias : replicas) ++load[alias];
    }
    std::vector<const ChunkRows*> missing;
    for (const ChunkRows& chunk : chunks) {
        if (!map_.chunk(table.id, chunk.path)) missing.push_back(&chunk);
    }
    const auto counter = store_.get(chunkListKey(table.id));
    uint64_t listed = counter ? counter->revision : 0;
    if (listed > view.revision) return;
    for (size_t begin = 0; begin < missing.size(); begin += kChunksPerTransaction) {
        const size_t end = std::min(missing.size(), begin + kChunksPerTransaction);
        std::vector<MetaCondition> conditions{{chunkListKey(table.id), listed}, {kConfigKey, view.config->revision}};
        std::vector<MetaWrite> writes{{chunkListKey(table.id), cluster_.incarnation(), 0}};
        for (size_t i = begin; i < end; ++i) {
            const ChunkRows& chunk = *missing[i];
            auto place = placed.find(chunk.path);
            if (place == placed.end()) {
                place = placed.emplace(chunk.path, choose(load)).first;
                const std::string key = placeKey(table.database, chunk.path);
                conditions.push_back({key, 0});
                std::string names;
                for (const std::string& alias : place->second) names += (names.empty() ? "" : ",") + alias;
                writes.push_back({key, names, 0});
            }
            writes.push_back({chunkKey(table.id, chunk.path), chunkRecord(place->second, chunk.index), 0});
        }
        const MetaOutcome outcome = store_.transact(conditions, writes);
        if (!outcome.done) break;
        listed = outcome.revision;
    }
    refresh();
}

uint64_t Placement::forget(uint64_t table, const std::vector<std::string>& paths) {
    refresh();
    const ClusterMap::View view = map_.view(table);
    std::vector<std::string> keys;
    for (const std::string& path : paths) keys.push_back(chunkKey(table, path));
    if (paths.empty()) {
        for (const PlacedChunk& chunk : *view.chunks) keys.push_back(chunkKey(table, chunk.path));
    }
    for (size_t begin = 0; begin < keys.size(); begin += kChunksPerTransaction) {
        std::vector<MetaWrite> writes{{chunkListKey(table), cluster_.incarnation(), 0}};
        for (size_t i = begin; i < std::min(keys.size(), begin + kChunksPerTransaction); ++i) {
            writes.push_back({keys[i], std::nullopt, 0});
        }
        store_.transact({}, writes);
    }
    refresh();
    return view.revision;
}

}  // namespace pelorus
