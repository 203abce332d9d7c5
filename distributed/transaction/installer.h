// Installs the prepared transactions of this node when the cluster has decided them.
//
// A transaction is installed at the revision of its decision, and confirmed when that is on this node's disk; it is in
// doubt when no decision is heard of for two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/prepared_commits.h"
#include "storage/version/version_set.h"

namespace pelorus {

class ClusterConfig;
class LocalStorage;
struct ClusterMoment;
struct TransactionRecord;

// The installer of a node. Participant owns it; ClusterMap calls `install`, and NodeMaintenance confirms, settles what
// is in doubt and purges records. It does not wait for other nodes and reads no clock: the caller says what time it is.
// Thread-safe, apart from `doubts`, which one thread calls.
class Installer {
public:
    using Time = std::chrono::steady_clock::time_point;

    // `incarnation` is the name of this process (Cluster::incarnation). The storage outlives this.
    Installer(LocalStorage& storage, std::string incarnation);

    // Returns Done if this node may prepare a transaction whose sender knew the configuration of `senderRevision`; else
    // NotInSync or OldConfig. `config` is at least as new. `onlyAlone`: no other node keeps any of its chunks.
    CommitResult mayPrepare(const ClusterConfig& config, uint64_t senderRevision, bool onlyAlone) const;

    // Installs or forgets the transactions that ended at a revision; later local commits get larger timestamps.
    // REQUIRES: revisions ascend. Throws SystemError when the disk refuses; it may be called again.
    void install(const ClusterMoment& moment);

    // Returns the prepared transactions that have had no decision for two seconds and have no record: the caller asks
    // their coordinators whether they are open, and writes `abortOf` for those that are not. Forgets transactions whose
    // record is an abort.
    std::vector<PreparedCommits::OpenTransaction> doubts(Time now,
                                                         const std::map<std::string, TransactionRecord>& records);
    // Returns the record that aborts a transaction.
    static TransactionRecord abortOf(const PreparedCommits::OpenTransaction& transaction);

    // Waits until what was installed since the last call is on the disk. Throws SystemError when the disk refuses.
    void confirm();
    // Returns the revision up to which everything is installed here and on the disk. While the node's folder is lost,
    // returns 0: the lost folder may be put back with transactions prepared, and then needs the records of how they
    // ended. REQUIRES: `config` is no older than this process.
    uint64_t confirmedRevision(const ClusterConfig& config) const;

    // Returns the names of at most `most` records that nobody needs any more, of transactions of this process and of
    // earlier processes of the node: every participant has confirmed their revisions (`confirmedBy`, by alias), and
    // they are not open here.
    std::vector<std::string> toPurge(const std::map<std::string, TransactionRecord>& records,
                                     const ClusterConfig& config, const std::map<std::string, uint64_t>& confirmedBy,
                                     const std::set<std::string>& open, size_t most) const;

    // Refuses pins at revisions before this one from now on: the folder is not the one that the node had then.
    void keepFrom(uint64_t revision);
    // Returns a pin on what a reader at this revision sees: all that was decided by then, and this node's local commits
    // so far. `base` is that of commit timestamps. REQUIRES: the revision is installed. Throws SystemError (retryable)
    // when it is no longer kept.
    std::unique_ptr<VersionSet::Pin> pinAt(uint64_t revision, uint64_t base) const;

private:
    uint64_t firstKept() const;

    // A revision that is installed and not confirmed.
    struct Installed {
        uint64_t revision = 0;
        uint64_t number = 0;  // number that the log must have synced; 0: none
    };
    LocalStorage& storage_;
    const std::string incarnation_, alias_;
    std::map<std::string, Time> waitingSince_;  // by transaction; used by `doubts` only
    mutable Mutex mutex_;
    std::deque<Installed> unconfirmed_ GUARDED_BY(mutex_);
    uint64_t confirmed_ GUARDED_BY(mutex_) = 0;
    uint64_t firstKept_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
