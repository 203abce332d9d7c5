// Wrapper of the metadata store of one cluster: a store that was emptied, replaced or reset under a running node is
// detected at the first read or write, and used no more. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "common/meta_store.h"

namespace pelorus {

class GuardedStore final : public MetaStore {
public:
    // `name` is the store's name in messages. REQUIRES: it holds kClusterIdKey.
    GuardedStore(std::unique_ptr<MetaStore> store, std::string name);

    // All of them throw SystemError once the store is another one. A transaction is applied in the right one or not at
    // all.
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
    std::atomic<uint64_t> seen_{0};  // largest revision
    std::atomic<bool> isOurs_{true};
};

}  // namespace pelorus
