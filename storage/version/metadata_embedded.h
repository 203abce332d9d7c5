// Implements common/meta_store.h for one node: an ordered map in memory whose transactions are records of the node's
// log. It needs no installation and one sync per transaction, and metadata is recovered with the data.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <set>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "storage/version/edit.h"

namespace pelorus {

// The metadata store of a data folder. StorageParts owns it; commits and recovery apply records to it. Revisions are
// numbers of the log's records; the newest eight values of a key can be read. Leases live as long as the process.
// Watches are called on the threads of writers. Thread-safe.
class EmbeddedMetaStore final : public MetaStore {
public:
    // A function that makes edits durable and, before it returns their number, applies them through `apply`.
    using Commit = std::function<uint64_t(std::vector<Edit> edits)>;
    explicit EmbeddedMetaStore(Commit commit) : commit_(std::move(commit)) {}

    std::optional<MetaEntry> get(const std::string& key, uint64_t revision = 0) override;
    MetaRead range(const std::string& prefix, uint64_t revision = 0, size_t limit = 0) override;
    MetaOutcome transact(const std::vector<MetaCondition>& conditions, const std::vector<MetaWrite>& writes) override;
    std::unique_ptr<Watch> watch(const std::string& prefix, uint64_t afterRevision, OnChange onChange,
                                 std::function<void()> onLost = nullptr) override;
    uint64_t grantLease(int64_t timeoutMillis) override;
    bool keepAlive(uint64_t lease) override;
    void revokeLease(uint64_t lease) override;

    // Applies the metadata of a record. Called for every record of the log, in order, by one thread at a time.
    void apply(uint64_t number, const std::vector<Edit>& edits);
    // Returns or restores all entries, for a checkpoint.
    std::vector<MetaEntry> entries() const;
    void restore(const std::vector<MetaEntry>& entries, uint64_t revision);

private:
    // A value that a key had from a revision on.
    struct Item {
        std::optional<std::string> value;
        uint64_t revision = 0;
    };
    using History = std::deque<Item>;  // ascending; old ones are dropped
    // A watch.
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

    const Item* elementAt(const History& history, uint64_t revision) const;
    void endLeases() LOCKS_EXCLUDED(leaseMutex_, transaction_);

    const Commit commit_;
    Mutex transaction_;  // orders steps: one transaction at a time, from check to durable

    mutable SharedMutex mutex_;
    std::map<std::string, History> elements_ GUARDED_BY(mutex_);
    uint64_t revision_ GUARDED_BY(mutex_) = 0;

    Mutex watchMutex_;
    std::list<Watcher> watchers_ GUARDED_BY(watchMutex_);

    Mutex leaseMutex_;
    std::map<uint64_t, Lease> leases_ GUARDED_BY(leaseMutex_);
    uint64_t lastLease_ GUARDED_BY(leaseMutex_) = 0;
};

// Returns a store in memory only, whose content is lost with the object.
std::unique_ptr<MetaStore> memoryMetaStore();

}  // namespace pelorus
