// Lets the catalog read the metadata of a cluster from this node's map, which follows the store, and write to the
// store.
//
// A read waits until the map has all that was acknowledged before. It asks the store for nothing but its newest
// revision, and reads of one MetaMoment do so once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/meta_store.h"

namespace pelorus {

class ClusterMap;

// A MetaStore over a ClusterMap and the store that it follows, which outlive it. ClusterDatabaseService owns it, for
// its catalog. Reads at older revisions, and of keys that the map does not keep, go to the store. All calls throw
// SystemError when the store does not answer, reads only where staleness is not allowed. Thread-safe.
class MapStore final : public MetaStore {
public:
    MapStore(MetaStore& store, ClusterMap& map) : store_(store), map_(map) {}

    std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) override;
    MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) override;
    // Applies the transaction in the store. When it returns, the map has what was written, or what refused it.
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override;
    MetaAbsentOutcome putAbsent(const std::vector<MetaCondition>& conditions,
                                const std::vector<MetaPut>& puts) override;
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                 std::function<void()> onLost = nullptr) override;
    uint64_t grantLease(int64_t timeoutMillis) override { return store_.grantLease(timeoutMillis); }
    bool keepAlive(uint64_t lease) override { return store_.keepAlive(lease); }
    void revokeLease(uint64_t lease) override { store_.revokeLease(lease); }

private:
    void catchUp();

    MetaStore& store_;
    ClusterMap& map_;
};

}  // namespace pelorus
