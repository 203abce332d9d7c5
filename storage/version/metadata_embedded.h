// A MetaStore for one node: an ordered map in memory whose transactions are records of the node's own log. Nothing to
// install, one sync, and metadata is recovered with the data.
//
// Revisions are numbers of the log's records. Leases live as long as the process.
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>

#include "common/meta_store.h"
#include "storage/version/edit.h"

namespace pelorus {

class EmbeddedMetaStore final : public MetaStore {
public:
    // Makes edits durable and, before it returns, has them applied through `apply`.
    using Commit = std::function<uint64_t(std::vector<Edit> edits)>;
    explicit EmbeddedMetaStore(Commit commit) : commit_(std::move(commit)) {}

    std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) override;
    MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) override;
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override;
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange) override;
    uint64_t grantLease(int64_t timeoutMillis) override;
    bool keepAlive(uint64_t lease) override;
    void revokeLease(uint64_t lease) override;

    // Called for every record of the log, in order, by one thread at a time.
    void apply(uint64_t number, const std::vector<Edit>& edits);
    // All entries, for a checkpoint; and back.
    std::vector<MetaEntry> entries() const;
    void restore(const std::vector<MetaEntry>& entries, uint64_t revision);

private:
    struct Item {
        std::optional<std::string> value;
        uint64_t revision = 0;
    };
    using History = std::deque<Item>;  // ascending; old ones are dropped
    struct Watcher {
        std::string prefix;
        OnChange onChange;
        uint64_t told = 0;  // newest revision it has been called for
    };
    class Handle;
    struct Lease {
        int64_t timeoutMillis = 0;
        int64_t endMillis = 0;
        std::set<std::string> keys;
    };

    const Item* itemAt(const History& history, uint64_t revision) const;
    void endLeases();

    const Commit commit_;
    std::mutex transaction_;  // one transaction at a time, from check to durable

    mutable std::shared_mutex mutex_;
    std::map<std::string, History> items_;
    uint64_t revision_ = 0;

    std::mutex watchMutex_;
    std::list<Watcher> watchers_;

    std::mutex leaseMutex_;
    std::map<uint64_t, Lease> leases_;
    uint64_t lastLease_ = 0;
};

}  // namespace pelorus
