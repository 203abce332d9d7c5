// Brings this node back in sync after it was written out.
//
// It first enters the state `Joining`: from that revision on every transaction is prepared here, too. Then each chunk
// that other nodes keep as well is replaced by what one of those in sync has at a later revision; rows that were
// committed since that revision stay on top of it. When all are copied, the node is `In`. After a crash in between all
// of it is begun again.
//
// If all replicas of a partition are out, the one that left last has everything: it copies nothing, and the others wait
// for it. While this node can't reach every living node that is in sync, it stays out: their transactions would ask it
// in vain.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "distributed/metadata/placed_chunk.h"
#include "distributed/metadata/sync_rules.h"

namespace pelorus {

class Catalog;
struct ClusterParts;
struct TableEntry;

// A background task of a node of the cluster, which ClusterDatabaseService owns. It checks every half second whether
// the node is in sync, and brings it back when it is not; after a failure, which is logged, it waits up to two seconds.
class NodeReturn {
public:
    // Starts the task on a separate thread, which the destructor ends. The parts, what they refer to, and the catalog
    // outlive this.
    NodeReturn(ClusterParts& parts, Catalog& catalog);
    ~NodeReturn();

private:
    void run();
    void comeBack();
    void requireSources();
    void requireSource(const std::string& database, const PlacedChunk& chunk) const;
    void requireReachable();
    void copyAll(uint64_t joined);
    void stayOut(uint64_t joined);
    void copyTable(const TableEntry& table);
    Recovery recoveryOf(const PlacedChunk& chunk) const;
    // Writes a state of this node. `joined`: only if the node has been joining since this revision; 0: whatever its
    // state is. Returns false when it was not written.
    bool enter(NodeState state, uint64_t joined);
    void requireNotStopping();

    ClusterParts& parts_;
    Catalog& catalog_;
    Mutex mutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::chrono::milliseconds pause_;  // pause before the next attempt; used by the thread only
    std::string lastError_;            // a lasting error is logged once; used by the thread only
    std::thread thread_;
};

}  // namespace pelorus
