// The partitions that this node is to keep a copy of from now on: copied from a replica while they are written to, and
// then served.
//
// A learner is named in the place of the partition; then it joins, from which revision on every decision has its
// prepare; it copies what there was until then; and it becomes a replica, if neither the place nor its own node's state
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

class LearnerCopies {
public:
    // Looks after them in a thread of its own. The parts, and what they refer to, outlive this.
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
    std::string lastError_;  // so that a lasting one is logged once
    std::thread thread_;
};

}  // namespace pelorus
