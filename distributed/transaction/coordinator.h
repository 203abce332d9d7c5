// Stores rows of several chunks as one transaction, on every replica of each.
//
// Rows whose chunks this node alone keeps are its own commit. All others are prepared, durably, by every replica that
// is in sync, and then decided by one transaction of the metadata store, which compares that nobody's state changed
// meanwhile: its revision is the number of the commit everywhere. A coordinator that dies before that has written
// nothing; after it, every node hears of it from the store. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "distributed/transaction/attempt.h"
#include "distributed/transaction/decider.h"
#include "storage/version/chunk_rows.h"

namespace pelorus {

class Cluster;
class SyncStates;
class Participant;

class Coordinator {
public:
    Coordinator(Cluster& cluster, Participant& local, SyncStates& syncStates);

    // `replicas[i]` keep `chunks[i]`. When it returns true, the rows are durable and queries from now on see them;
    // false when a route is stale, and nothing was stored. Throws UserError or SystemError, naming the node that
    // failed: none of the rows is or becomes visible, apart from the case that the message calls an unknown outcome.
    bool store(const std::vector<ChunkRows>& chunks, const Replicas& replicas);

private:
    Attempt::Outcome attempt(const std::vector<ChunkRows>& chunks, const Replicas& replicas);
    void prepare(Attempt& attempt, const std::vector<ChunkRows>& chunks, const Replicas& replicas);
    void decide(Attempt& attempt);
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
