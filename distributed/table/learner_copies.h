// Makes this node a replica of the partitions of which it is a learner: copies them while they are written to, and then
// serves them.
//
// A learner is named in the place of the partition. Then it joins: from that revision on every decision has its
// prepare. It copies what there was until then, and becomes a replica, if neither the place nor the state of its node
// has changed since it began.
#pragma once

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "distributed/metadata/placed_chunk.h"

namespace pelorus {

class Catalog;
struct ClusterParts;

// A background task of a node of the cluster, which ClusterDatabaseService owns. It checks the map for partitions of
// which this node is a learner every half second, while the node is in sync. What fails is logged and tried again.
class LearnerCopies {
public:
    // Starts the task on a separate thread, which the destructor ends. The parts, what they refer to, and the catalog
    // outlive this.
    LearnerCopies(ClusterParts& parts, Catalog& catalog);
    ~LearnerCopies();

private:
    void run();
    void work();
    void join(const std::string& database, std::vector<PlacedChunk> places);
    void copy(const std::string& database, const PlacedChunk& place);
    bool isStopping() const;

    ClusterParts& parts_;
    Catalog& catalog_;
    mutable Mutex mutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::string lastError_;  // a lasting error is logged once; used by the thread only
    std::thread thread_;
};

}  // namespace pelorus
