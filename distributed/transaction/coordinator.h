// Adds, replaces and removes rows of several chunks as one transaction, on every replica of each.
//
// What touches only chunks that this node alone keeps is its own commit. All else is prepared, durably, by every
// replica that is in sync, and then decided by one transaction of the metadata store, which compares that neither
// anybody's state nor an entry of the tables changed meanwhile: its revision is the number of the commit everywhere. A
// coordinator that dies before that has written nothing; after it, every node hears of it from the store.
//
// Rows that are only added are prepared by all nodes at once, and where a change holds a chunk, nobody waits for it:
// the attempt is given up. What follows, and all changes, ask one node after the other, in the order of their numbers,
// which wait: nobody waits for a node before one that it holds. Thread-safe.
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

class Coordinator {
public:
    Coordinator(Cluster& cluster, Participant& local, SyncStates& syncStates);

    // Commits the batch. Returns Done: it is durable, and queries from now on see it; or, with nothing written,
    // TableChanged, RowsChanged or RowsMoved: the rows are to be bound, or seen, anew.
    // Throws UserError or SystemError, naming the node that failed: nothing is or becomes visible, apart from the case
    // that the message calls an unknown outcome.
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
