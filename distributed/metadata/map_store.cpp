#include "distributed/metadata/map_store.h"

#include "distributed/metadata/cluster_map.h"

namespace pelorus {

static constexpr auto kTimeout = std::chrono::seconds(5);

void MapStore::catchUp() {
    if (MetaMoment::isRead()) return;
    map_.awaitState(map_.revisionToRead(), kTimeout);
    MetaMoment::noteRead();
}

std::optional<MetaEntry> MapStore::get(const std::string& key, uint64_t revision) {
    if (revision != 0 || !ClusterState::keepsKeys(key)) return store_.get(key, revision);
    catchUp();
    return map_.entry(key);
}

MetaRead MapStore::range(const std::string& prefix, uint64_t revision, size_t limit) {
    if (revision != 0 || !ClusterState::keepsKeys(prefix)) return store_.range(prefix, revision, limit);
    catchUp();
    return map_.entries(prefix, limit);
}

// The caller of a transaction that was refused because the map lags tries again, and must then read what is newer: so a
// refused one waits for the map, too.
MetaOutcome MapStore::transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) {
    const MetaOutcome outcome = store_.transact(conditions, writes);
    map_.awaitState(outcome.done ? outcome.revision : map_.currentRevision(), kTimeout);
    return outcome;
}

MetaAbsentOutcome MapStore::putAbsent(const std::vector<MetaCondition>& conditions, const std::vector<MetaPut>& puts) {
    return store_.putAbsent(conditions, puts);
}

std::unique_ptr<MetaStore::Watch> MapStore::watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                                  std::function<void()> onLost) {
    return store_.watch(prefix, afterRevision, std::move(onChange), std::move(onLost));
}

}  // namespace pelorus
