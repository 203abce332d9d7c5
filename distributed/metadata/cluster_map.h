// A node's state of its cluster, which follows the metadata store.
//
// The store is read once and watched from there, by one stream. Each revision is first installed, in order, and then
// told to those who wait for it. Thread-safe. A service of the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_state.h"

namespace pelorus {

class ClusterMap {
public:
    // Called for each revision in order, by one thread. May throw SystemError: it is called again until it succeeds.
    using Install = std::function<void(const ClusterMoment&)>;

    // Reads the state, has it installed, and watches from there.
    // `maxStaleness`: for so long after the store's last answer queries may read at the last revision that is known
    // here; 0: never.
    ClusterMap(MetaStore& store, Install install,
               std::chrono::milliseconds maxStaleness = std::chrono::milliseconds(0));
    ~ClusterMap();

    // Returns the revision of the newest change in the store: all that was acknowledged before the call is at or below
    // it. Calls at the same time share one read. Throws SystemError when the store does not answer: soon, while this
    // node has no contact.
    uint64_t currentRevision();
    // Returns the revision for what only reads: the newest, or, while the store is away and that is allowed, the last
    // one that is installed here.
    uint64_t revisionToRead();
    // Returns how old what it reads may be: 0 while the store answers.
    std::chrono::milliseconds staleness() const;
    // Whether the store has answered all the time for so long. It is asked twice a second.
    bool hasContact(std::chrono::milliseconds since = std::chrono::milliseconds(0)) const;
    // Returns the revision up to which everything is installed here.
    uint64_t installed() const;
    // Waits until a revision is installed. Throws SystemError (retryable) when that takes longer than `timeout`.
    void await(uint64_t revision, std::chrono::milliseconds timeout) const;

    // Waits until the state has a revision, installed or not. Throws as `await`.
    void awaitState(uint64_t revision, std::chrono::milliseconds timeout) const;

    // The state at one revision, which may be ahead of what is installed.
    struct View {
        uint64_t revision = 0;
        uint64_t base = 0;
        std::shared_ptr<const ClusterConfig> config;
    };
    View view() const;
    std::shared_ptr<const ClusterConfig> config() const;
    // As in ClusterState.
    PlacedChunks chunks(const std::string& database) const;
    std::optional<PlacedChunk> chunk(const std::string& database, const std::string& path) const;
    std::vector<std::pair<std::string, PlacedChunk>> unsettled() const;
    bool othersHave(const std::string& alias) const;
    std::optional<KnownTable> table(uint64_t id) const;
    std::vector<uint64_t> tablesOf(const std::string& database) const;
    // Whether the table's entry has this revision.
    bool isUnchanged(uint64_t table, const MetaCondition& entry) const;
    std::map<uint64_t, uint64_t> dropped() const;
    std::optional<MetaEntry> entry(const std::string& key) const;
    MetaRead entries(const std::string& prefix, size_t limit) const;
    std::map<std::string, TransactionRecord> records() const;

private:
    // Times of the store's last answer, and of the first one after the last gap.
    struct Contact {
        std::chrono::steady_clock::time_point last, first;
    };
    uint64_t askRevision(bool isProbe);
    void keepContact();
    void noteContact() EXCLUSIVE_LOCKS_REQUIRED(readMutex_);
    bool isCutOff() const EXCLUSIVE_LOCKS_REQUIRED(readMutex_);
    void readState();
    void watch();
    void run();
    void apply(const std::vector<MetaChange>& changes);
    void installed(const ClusterMoment& moment);

    MetaStore& store_;
    const Install install_;
    const std::chrono::milliseconds maxStaleness_;

    mutable Mutex mutex_;
    mutable CondVar changed_;
    mutable ClusterState state_ GUARDED_BY(mutex_);  // a list is made by its first reader
    uint64_t readAt_ GUARDED_BY(mutex_) = 0;         // revision of the store when the state was read
    uint64_t installed_ GUARDED_BY(mutex_) = 0;      // revision up to which all is installed
    bool stopping_ GUARDED_BY(mutex_) = false;
    bool lost_ GUARDED_BY(mutex_) = false;  // the watch has ended: the state is to be read again

    mutable Mutex readMutex_;
    CondVar readChanged_;
    Contact contact_ GUARDED_BY(readMutex_);
    bool isEnding_ GUARDED_BY(readMutex_) = false;
    bool isStaleTold_ GUARDED_BY(readMutex_) = false;
    bool reading_ GUARDED_BY(readMutex_) = false;
    uint64_t readsBegun_ GUARDED_BY(readMutex_) = 0;
    uint64_t readsDone_ GUARDED_BY(readMutex_) = 0;
    uint64_t readRevision_ GUARDED_BY(readMutex_) = 0;  // 0: the last read failed
    std::string readError_ GUARDED_BY(readMutex_);

    std::unique_ptr<MetaStore::Watch> watch_;
    std::thread thread_;  // reads the state again when the watch lost changes
    std::thread contactThread_;
};

}  // namespace pelorus
