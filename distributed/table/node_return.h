// Brings this node back in sync after it was written out.
//
// It first enters the state `Joining`: from that revision on every transaction is prepared here, too. Then each chunk
// that other nodes keep as well is replaced by what one of those in sync has at a later revision; rows that came since
// that revision stay behind it. When all are copied, the node is `In`. A crash in between begins all of it again.
//
// Of several replicas that are all out, the one that left last has everything: it copies nothing, and the others wait
// for it. While it can't reach all nodes that are in sync, by which or from which it would be asked, it stays out:
// every transaction would ask it in vain.
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

class NodeReturn {
public:
    // Looks after it in a thread of its own. The parts, and what they refer to, outlive this.
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
    // `joined`: only while the node joins since this revision; 0: whatever its state is. False when it was not done.
    bool enter(NodeState state, uint64_t joined);
    void requireNotStopping();

    ClusterParts& parts_;
    Catalog& catalog_;
    Mutex mutex_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::chrono::milliseconds pause_;  // before the next attempt
    std::string lastError_;            // so that a lasting one is logged once
    std::thread thread_;
};

}  // namespace pelorus
