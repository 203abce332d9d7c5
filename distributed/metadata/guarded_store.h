// Guards a node against a metadata store that was emptied, replaced or reset while the node runs: that is detected at
// the first read or write, and the store is no longer used.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "common/meta_store.h"

namespace pelorus {

// A MetaStore that forwards to another one, which it owns, as long as that is the store of its cluster: the key
// `cluster` has the revision that it had at the beginning, and revisions only grow. Thread-safe.
class GuardedStore final : public MetaStore {
public:
    // Reads the revision of kClusterIdKey. `name` is the store's name in messages. Throws SystemError when the store
    // has no such key.
    GuardedStore(std::unique_ptr<MetaStore> store, std::string name);

    // All of these but revokeLease throw SystemError once the store is another one. A transaction is applied in the
    // right one or not at all. A watch reports nothing more from then on.
    std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) override;
    MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) override;
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override;
    MetaAbsentOutcome putAbsent(const std::vector<MetaCondition>& conditions,
                                const std::vector<MetaPut>& puts) override;
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                 std::function<void()> onLost = nullptr) override;
    uint64_t grantLease(int64_t timeoutMillis) override;
    bool keepAlive(uint64_t lease) override;
    void revokeLease(uint64_t lease) override;

private:
    void requireOurs() const;
    template <class Outcome, class Transact>
    Outcome ifOurs(const std::vector<MetaCondition>& conditions, const Transact& transact);
    void meet(uint64_t revision, uint64_t seenBefore);
    [[noreturn]] void refuse();

    const std::unique_ptr<MetaStore> store_;
    const std::string name_;
    uint64_t idRevision_ = 0;
    std::atomic<uint64_t> seen_{0};  // largest revision that the store has returned
    std::atomic<bool> isOurs_{true};
};

}  // namespace pelorus
