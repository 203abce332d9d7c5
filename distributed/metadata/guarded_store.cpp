#include "distributed/metadata/guarded_store.h"

#include <algorithm>

#include "common/error.h"
#include "distributed/metadata/cluster_identity.h"

namespace pelorus {

GuardedStore::GuardedStore(std::unique_ptr<MetaStore> store, std::string name)
    : store_(std::move(store)), name_(std::move(name)) {
    const MetaRead read = store_->range(kClusterIdKey);
    for (const MetaEntry& entry : read.entries) {
        if (entry.key == kClusterIdKey) idRevision_ = entry.revision;
    }
    if (idRevision_ == 0) refuse();
    seen_ = read.revision;
}

void GuardedStore::refuse() {
    isOurs_ = false;
    requireOurs();
    throw InternalError("a foreign store was taken for ours");
}

void GuardedStore::requireOurs() const {
    if (isOurs_) return;
    throw SystemError(
        "The metadata store " + name_ +
            " is no longer that of this node's cluster: it was emptied, replaced or set back.",
        "The node changes nothing. Bring the store back as it was and restart the nodes; or stop them and "
        "decide with pelorus cluster adopt --config FILE for each.");
}

void GuardedStore::meet(uint64_t revision, uint64_t seenBefore) {
    if (revision < seenBefore) refuse();
    uint64_t seen = seen_;
    while (seen < revision && !seen_.compare_exchange_weak(seen, revision)) {
    }
}

std::optional<MetaEntry> GuardedStore::get(const std::string& key, uint64_t revision) {
    requireOurs();
    if (revision != 0) return store_->get(key, revision);
    // Reads a range, because that returns the store's revision.
    const MetaRead read = range(key, 0, 1);
    if (read.entries.empty() || read.entries[0].key != key) return std::nullopt;
    return read.entries[0];
}

MetaRead GuardedStore::range(const std::string& prefix, uint64_t revision, size_t limit) {
    requireOurs();
    const uint64_t seenBefore = seen_;
    MetaRead read = store_->range(prefix, revision, limit);
    if (revision == 0) meet(read.revision, seenBefore);
    return read;
}

// Carries out a transaction on the additional condition that the store is ours. Throws SystemError when it is not.
template <class Outcome, class Transact>
Outcome GuardedStore::ifOurs(const std::vector<MetaCondition>& conditions, const Transact& transact) {
    requireOurs();
    const uint64_t seenBefore = seen_;
    std::vector<MetaCondition> all = conditions;
    all.push_back({kClusterIdKey, idRevision_});
    const Outcome outcome = transact(all);
    meet(outcome.revision, seenBefore);
    if (!outcome.done) {
        const std::optional<MetaEntry> id = store_->get(kClusterIdKey);
        if (!id || id->revision != idRevision_) refuse();
    }
    return outcome;
}

MetaOutcome GuardedStore::transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) {
    return ifOurs<MetaOutcome>(conditions, [&](const auto& all) { return store_->transact(all, writes); });
}

MetaAbsentOutcome GuardedStore::putAbsent(const std::vector<MetaCondition>& conditions,
                                          const std::vector<MetaPut>& puts) {
    return ifOurs<MetaAbsentOutcome>(conditions, [&](const auto& all) { return store_->putAbsent(all, puts); });
}

std::unique_ptr<MetaStore::Watch> GuardedStore::watch(const std::string& prefix, uint64_t afterRevision,
                                                      OnChange onChange, std::function<void()> onLost) {
    requireOurs();
    auto ifOurs = [this, onChange = std::move(onChange)](const std::vector<MetaChange>& changes) {
        // Nobody has removed the keys that an emptied store lacks: the last state that was ours stays in force.
        const bool removes =
            std::any_of(changes.begin(), changes.end(), [](const auto& change) { return !change.value; });
        if (removes && isOurs_) {
            const std::optional<MetaEntry> id = store_->get(kClusterIdKey);
            if (!id || id->revision != idRevision_) isOurs_ = false;
        }
        if (isOurs_) onChange(changes);
    };
    return store_->watch(prefix, afterRevision, std::move(ifOurs), std::move(onLost));
}

uint64_t GuardedStore::grantLease(int64_t timeoutMillis) {
    requireOurs();
    return store_->grantLease(timeoutMillis);
}

bool GuardedStore::keepAlive(uint64_t lease) {
    requireOurs();
    return store_->keepAlive(lease);
}

void GuardedStore::revokeLease(uint64_t lease) {
    store_->revokeLease(lease);
}

}  // namespace pelorus
