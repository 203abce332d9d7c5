// Heartbeats between the nodes: each asks all others for their status twice a second, and a node that misses a
// transaction is written out of sync.
//
// Only a node that is itself in sync may write another one out, and only while it hears a majority (sync_rules.h): a
// node that hears nobody is more likely cut off than alone. A node whose disk is much slower than those of the others
// leaves by itself, for all would wait for it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_config.h"
#include "distributed/transaction/slow_disk.h"

namespace pelorus {

class Cluster;
class Participant;

// A background task of a node of the cluster, and the place where Coordinator writes a node out of sync.
// ClusterDatabaseService owns it. Its thread runs from the constructor to the destructor; cluster and participant
// outlive it. Thread-safe.
class SyncStates {
public:
    SyncStates(Cluster& cluster, Participant& participant);
    ~SyncStates();

    // Makes the node `Out`, so that transactions go on without it. Returns false when this node may not, or the state
    // changed meanwhile: the caller ends its transaction. Throws SystemError when the metadata store does not answer.
    bool writeOut(const std::string& alias, const std::string& why);
    // Returns the median of the times that syncs of the log take at the other nodes that answer; 0 when none is known.
    std::chrono::microseconds othersSyncTime();

private:
    void run();
    void askAll();
    bool mayWriteOut(const ClusterConfig& config, const std::string& missed);
    void ask(const std::vector<std::string>& aliases);
    void leaveWhenSlow();
    void noteSyncTime(const std::string& alias, std::chrono::microseconds time);
    void noteTrouble(const std::string& alias, const std::string& why);

    Cluster& cluster_;
    Participant& participant_;
    Mutex syncTimesMutex_;
    std::map<std::string, std::chrono::microseconds> syncTimes_ GUARDED_BY(syncTimesMutex_);  // of others, by alias
    // The reason why a node does not answer, and the time at which it was logged.
    struct Trouble {
        std::string why;
        std::chrono::steady_clock::time_point told;
    };
    std::map<std::string, Trouble> troubles_ GUARDED_BY(syncTimesMutex_);  // by alias
    SlowDisk ownDisk_;                                                     // used by the thread only
    Mutex mutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

}  // namespace pelorus
