// Heartbeats: every node is asked twice a second how it is, and one that misses a transaction is written out of sync.
//
// Only a node that is itself in sync may write another one out, and only while it hears at least half of the others:
// one that hears nobody is more likely cut off than alone. Thread-safe. A service.
#pragma once

#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_config.h"

namespace pelorus {

class Cluster;
class Participant;

class SyncStates {
public:
    SyncStates(Cluster& cluster, Participant& participant);
    ~SyncStates();

    // Makes the node `Out`, so that transactions go on without it. Returns false when this node may not, or the state
    // changed meanwhile: the caller ends its transaction. Throws SystemError when the metadata store does not answer.
    bool writeOut(const std::string& alias, const std::string& why);

private:
    void run();
    void askAll();
    bool mayWriteOut(const ClusterConfig& config, const std::string& missed) const;

    Cluster& cluster_;
    Participant& participant_;
    Mutex mutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

}  // namespace pelorus
