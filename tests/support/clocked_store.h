// A metadata store in memory that writes the clock in every transaction, as the store of a cluster does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "storage/version/metadata_embedded.h"

namespace pelorus::testing {

class ClockedStore final : public MetaStore {
public:
    std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) override {
        if (isAway) throw SystemError("The store is away.", "", true);
        ++gets;
        return store_->get(key, revision);
    }
    MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) override {
        ++ranges;
        return store_->range(prefix, revision, limit);
    }
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override {
        std::vector<MetaWrite> all = writes;
        all.push_back({kClockKey, "", 0});
        return store_->transact(conditions, all);
    }
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                 std::function<void()> onLost = nullptr) override {
        return store_->watch(prefix, afterRevision, std::move(onChange), std::move(onLost));
    }
    uint64_t grantLease(int64_t timeoutMillis) override { return store_->grantLease(timeoutMillis); }
    bool keepAlive(uint64_t lease) override { return store_->keepAlive(lease); }
    void revokeLease(uint64_t lease) override { store_->revokeLease(lease); }

    // Writes one key; returns the revision.
    uint64_t put(const std::string& key, const std::string& value) { return transact({}, {{key, value, 0}}).revision; }
    uint64_t remove(const std::string& key) { return transact({}, {{key, std::nullopt, 0}}).revision; }

    std::atomic<int> gets{0}, ranges{0};
    std::atomic<bool> isAway{false};  // reads of a key fail

private:
    const std::unique_ptr<MetaStore> store_ = memoryMetaStore();
};

}  // namespace pelorus::testing
