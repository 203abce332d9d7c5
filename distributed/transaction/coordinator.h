// Adds, replaces and removes rows of several chunks as one transaction, on every replica of each.
//
// A batch for chunks that this node alone keeps is a local commit. Every other batch is prepared, durably, by all
// replicas in sync, and then decided by one transaction of the metadata store, which compares that neither the state of
// a node nor an entry of the tables has changed meanwhile: its revision is the commit timestamp on every node. A
// coordinator that dies before that has written nothing; after it, every node learns of the decision from the store.
//
// Rows that are only added are prepared by all nodes at once. A node does not wait for a chunk that a change holds: the
// attempt is given up. The next attempt, and every change, asks one node after the other, in the order of the nodes'
// numbers, and these wait: nobody waits for a node before one that it holds, so there is no deadlock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "distributed/transaction/attempt.h"
#include "distributed/transaction/decider.h"
#include "distributed/transaction/placed_batch.h"
#include "storage/commit/commit_result.h"

namespace pelorus {

class Cluster;
class SyncStates;
class Participant;

// The coordinator of the transactions of this process. ClusterDatabaseService owns it; tables call it for every append
// and change. Cluster, participant and sync states outlive it. Thread-safe: each call is one transaction.
class Coordinator {
public:
    Coordinator(Cluster& cluster, Participant& local, SyncStates& syncStates);

    // Commits the batch. Returns Done when it is durable and queries from now on see it; or, with nothing written,
    // TableChanged, RowsChanged or RowsMoved: the caller binds the rows, or reads those that it replaces, anew.
    // Throws UserError or SystemError: nothing is or becomes visible, apart from the case that the message calls an
    // unknown outcome. Tries again for up to 30 seconds while nodes come and go or another transaction holds a chunk.
    CommitResult append(const PlacedBatch& batch);

private:
    void requireCopies(const PlacedBatch& batch, const ClusterConfig& config) const;
    bool placesChanged(const PlacedBatch& batch) const;
    CommitResult tryAppend(const PlacedBatch& batch, bool inOrder);
    void prepare(Attempt& attempt, const PlacedBatch& batch, bool inOrder);
    void prepareAt(const std::string& alias, Attempt& attempt, const PlacedBatch& batch, bool inOrder,
                   const std::atomic<bool>& abandon, Mutex& mutex);
    void decide(Attempt& attempt, const PlacedBatch& batch);
    void abort(Attempt& attempt);
    void forget(const Attempt& attempt);
    void awaitNewest();

    Cluster& cluster_;
    Participant& local_;
    SyncStates& syncStates_;
    Decider decider_;
    std::atomic<uint64_t> lastTransaction_{0};
};

}  // namespace pelorus
