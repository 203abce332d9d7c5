#include "distributed/metadata/replica_places.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "common/error.h"
#include "distributed/metadata/cluster_map.h"
#include "storage/catalog/catalog.h"

namespace pelorus {
namespace {

constexpr auto kMapTimeout = std::chrono::seconds(5);
constexpr size_t kPlacesPerTransaction = 60;  // within etcd's default limits

void eraseName(std::vector<std::string>& names, const std::string& name) {
    names.erase(std::remove(names.begin(), names.end(), name), names.end());
}

}  // namespace

bool isPartitionOf(const TableEntry& table, const PlacedChunk& chunk) {
    return chunk.index.empty() == table.partitionColumns.empty();
}

bool changePlaces(MetaStore& store, ClusterMap& map, const std::string& database,
                  const std::vector<PlacedChunk>& places, const ClusterConfig& config) {
    for (size_t begin = 0; begin < places.size(); begin += kPlacesPerTransaction) {
        const auto now = begin == 0 ? std::make_shared<const ClusterConfig>(config) : map.config();
        std::vector<MetaCondition> conditions{{kConfigKey, now->revision}};
        std::vector<MetaWrite> writes{{kConfigKey, now->encode(), 0}};
        for (size_t i = begin; i < std::min(places.size(), begin + kPlacesPerTransaction); ++i) {
            const std::string key = placeKey(database, places[i].path);
            conditions.push_back({key, places[i].revision});
            writes.push_back({key, encodePlace(places[i]), 0});
        }
        if (!store.transact(conditions, writes).done) return false;
        map.await(map.currentRevision(), kMapTimeout);
    }
    return true;
}

bool nameLearner(MetaStore& store, ClusterMap& map, const std::string& database, std::vector<PlacedChunk> places,
                 const std::string& alias, const std::string& replaces) {
    const auto config = map.config();
    for (PlacedChunk& place : places) place.learners.push_back({alias, false, replaces});
    return changePlaces(store, map, database, places, *config);
}

bool removeReplica(MetaStore& store, ClusterMap& map, const std::string& database, std::vector<PlacedChunk> places,
                   const std::string& alias) {
    const auto config = map.config();
    for (PlacedChunk& place : places) {
        std::erase_if(place.learners, [&](const Learner& learner) { return learner.alias == alias; });
        eraseName(place.replicas, alias);
        if (std::none_of(place.replicas.begin(), place.replicas.end(),
                         [&](const std::string& other) { return config->isIn(other); })) {
            throw UserError("No node that is in sync would keep a copy of the partition " + place.path + " of " +
                                database + " any more.",
                            "Add one on another node first, with copyReplicas.");
        }
        place.left.push_back(alias);
    }
    return changePlaces(store, map, database, places, *config);
}

void promote(PlacedChunk& place, const std::string& alias) {
    const Learner* own = place.learner(alias);
    const std::string replaced = own == nullptr ? "" : own->replaces;
    std::erase_if(place.learners, [&](const Learner& learner) { return learner.alias == alias; });
    place.replicas.push_back(alias);
    if (!place.isReplica(replaced)) return;
    eraseName(place.replicas, replaced);
    place.left.push_back(replaced);
}

}  // namespace pelorus
