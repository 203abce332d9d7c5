// The prepared transactions of this node: installed at the moments of the cluster, confirmed when it is on
// the disk, doubted when no end is heard of.
//
// It waits for nobody and reads no clock: whoever drives it says what time it is. Thread-safe, apart from `doubts`.
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

class Installer {
public:
    using Time = std::chrono::steady_clock::time_point;

    // This process is `incarnation` of the node. The storage outlives this.
    Installer(LocalStorage& storage, std::string incarnation);

    // Returns whether this node may prepare a transaction whose sender knew the configuration of `senderRevision`, by a
    // configuration at least as new; Done if so. `onlyAlone`: no other node keeps any of its chunks.
    CommitResult mayPrepare(const ClusterConfig& config, uint64_t senderRevision, bool onlyAlone) const;

    // Installs or forgets what ended at the moment, and numbers this node's own commits behind it. REQUIRES: moments
    // ascend. Throws SystemError when the disk refuses; it may be called again.
    void install(const ClusterMoment& moment);

    // Returns the prepared transactions whose end has not been heard of for a while, and that no record ends: their
    // coordinators are to be asked whether they are open. What is not gets `abortOf`.
    std::vector<PreparedCommits::OpenTransaction> doubts(Time now,
                                                         const std::map<std::string, TransactionRecord>& records);
    static TransactionRecord abortOf(const PreparedCommits::OpenTransaction& transaction);

    // Waits for the disk where something was installed since the last call.
    void confirm();
    // Returns the revision up to which everything is installed here and on the disk; 0 while the node's folder is lost:
    // the one that it had may be put back with transactions prepared, and then needs the records of how they ended.
    // REQUIRES: `config` is no older than this process.
    uint64_t confirmedRevision(const ClusterConfig& config) const;

    // Returns the records that nobody needs any more, of transactions of this process and of those before it: every
    // participant has confirmed their revisions (by alias), and they are not open here.
    std::vector<std::string> toPurge(const std::map<std::string, TransactionRecord>& records,
                                     const ClusterConfig& config, const std::map<std::string, uint64_t>& confirmedBy,
                                     const std::set<std::string>& open, size_t most) const;

    // Refuses pins at revisions before this one: the folder is another one than the node had then.
    void keepFrom(uint64_t revision);
    // Returns a pin on what a reader at this revision sees: all that was decided by then, and this node's own commits
    // so far. REQUIRES: the revision is installed. Throws SystemError (retryable) when it is no longer kept.
    std::unique_ptr<VersionSet::Pin> pinAt(uint64_t revision, uint64_t base) const;

private:
    uint64_t firstKept() const;

    struct Installed {
        uint64_t revision = 0;
        uint64_t number = 0;  // of the newest record by then
    };
    LocalStorage& storage_;
    const std::string incarnation_, alias_;
    std::map<std::string, Time> waitingSince_;  // of transactions
    mutable Mutex mutex_;
    std::deque<Installed> unconfirmed_ GUARDED_BY(mutex_);
    uint64_t confirmed_ GUARDED_BY(mutex_) = 0;
    uint64_t firstKept_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
