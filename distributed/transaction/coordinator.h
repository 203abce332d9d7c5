// Stores rows of several chunks as one transaction, on every replica of each.
//
// Rows whose chunks this node alone keeps are its own commit. All others are prepared, durably, by every replica that
// is in sync, and then decided by one transaction of the metadata store, which compares that nobody's state changed
// meanwhile: its revision is the number of the commit everywhere. A coordinator that dies before that has written
// nothing; after it, the store tells everybody. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "distributed/metadata/cluster_config.h"
#include "storage/version/local_storage.h"

namespace pelorus {

class Cluster;
class SyncStates;
class Participant;

using Replicas = std::vector<std::vector<std::string>>;

// Returns the nodes that must prepare rows of chunks with these replicas: the only one of a chunk; of several, those
// that are not out. Throws SystemError (retryable) when all replicas of a chunk are out.
std::set<std::string> nodesToPrepare(const Replicas& replicas, const ClusterConfig& config);
// Whether what these nodes prepared at one configuration may be decided at a later one: they suffice for it, and none
// has changed its state.
bool mayDecide(const Replicas& replicas, const std::set<std::string>& prepared, const ClusterConfig& before,
               const ClusterConfig& now);

class Coordinator {
public:
    Coordinator(Cluster& cluster, Participant& local, SyncStates& syncStates)
        : cluster_(cluster), local_(local), syncStates_(syncStates) {}

    // `replicas[i]` keep `chunks[i]`. When it returns true, the rows are durable and queries from now on see them;
    // false when a route is stale, and nothing was stored. Throws UserError or SystemError, naming the node that
    // failed: none of the rows is or becomes visible, apart from the case that the message calls an unknown outcome.
    bool store(const std::vector<ChunkRows>& chunks, const Replicas& replicas);

private:
    enum class End { Done, StaleRoute, Again };
    struct Attempt;
    End attempt(const std::vector<ChunkRows>& chunks, const Replicas& replicas);
    End prepare(Attempt& attempt);
    End decide(Attempt& attempt);
    bool goesOnWithout(Attempt& attempt, const std::set<std::string>& lost);
    void forget(const Attempt& attempt);
    bool abort(const Attempt& attempt);

    Cluster& cluster_;
    Participant& local_;
    SyncStates& syncStates_;
    std::atomic<uint64_t> lastTransaction_{0};
};

}  // namespace pelorus
