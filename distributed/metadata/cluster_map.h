// A node's copy of its cluster's metadata, which follows the metadata store.
//
// The store is read once and watched from there, by one stream. Each revision is first installed, in order, and then
// reported to those who wait for it.
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

// The copy. Participant owns it, and has the transactions of each revision installed by it. Two threads of it follow
// the store and probe it. The store and what `install` refers to outlive it. Thread-safe.
class ClusterMap {
public:
    // A function that installs a revision. Called for each revision in order, by one thread at a time. It may throw
    // Error: it is called again until it succeeds.
    using Install = std::function<void(const ClusterMoment&)>;

    // Reads the state, has it installed, and watches the store from there. `maxStaleness`: for so long after the
    // store's last answer queries may read at the last revision that is known here; 0: never. Throws SystemError when
    // the store does not answer.
    ClusterMap(MetaStore& store, Install install,
               std::chrono::milliseconds maxStaleness = std::chrono::milliseconds(0));
    ~ClusterMap();

    // Returns the revision of the newest change in the store: all that was acknowledged before the call is at or below
    // it. Concurrent calls share one read. Throws SystemError (retryable) when the store does not answer: within a
    // second, while this node has no contact.
    uint64_t currentRevision();
    // Returns the revision at which a query reads: the newest, or, while the store does not answer and `maxStaleness`
    // allows it, the last one that is installed here. Throws as currentRevision.
    uint64_t revisionToRead();
    // Returns the time since the store's last answer: 0 while it answers.
    std::chrono::milliseconds staleness() const;
    // Returns whether the store answers, and has done so without a gap for at least so long. The map probes it about
    // twice a second.
    bool hasContact(std::chrono::milliseconds since = std::chrono::milliseconds(0)) const;
    // Returns the revision up to which everything is installed here.
    uint64_t installed() const;
    // Waits until a revision is installed. Throws SystemError (retryable) when that takes longer than `timeout`.
    void await(uint64_t revision, std::chrono::milliseconds timeout) const;

    // Waits until the state contains a revision, installed or not. Throws as `await`.
    void awaitState(uint64_t revision, std::chrono::milliseconds timeout) const;

    // A view of the state at one revision, which may be ahead of what is installed.
    struct View {
        uint64_t revision = 0;
        uint64_t base = 0;  // base of commit timestamps
        std::shared_ptr<const ClusterConfig> config;
    };
    View view() const;
    std::shared_ptr<const ClusterConfig> config() const;
    // These functions return what those of ClusterState do, of the newest state, installed or not.
    PlacedChunks chunks(const std::string& database) const;
    std::optional<PlacedChunk> chunk(const std::string& database, const std::string& path) const;
    std::optional<std::string> firstNotKept(const std::string& alias, uint64_t revision, uint64_t table,
                                            const std::vector<std::string>& paths) const;
    std::vector<std::pair<std::string, PlacedChunk>> unsettled() const;
    bool othersHave(const std::string& alias) const;
    std::optional<KnownTable> table(uint64_t id) const;
    std::vector<uint64_t> tablesOf(const std::string& database) const;
    // Returns whether the table's newest entry has this key and revision.
    bool isUnchanged(uint64_t table, const MetaCondition& entry) const;
    std::map<uint64_t, uint64_t> dropped() const;
    std::optional<MetaEntry> entry(const std::string& key) const;
    MetaRead entries(const std::string& prefix, size_t limit) const;
    std::map<std::string, TransactionRecord> records() const;

private:
    // The times of the store's last answer, and of the first one after the last gap.
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
