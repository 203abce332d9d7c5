// The snapshot of one query on the nodes that it reads: a revision of the metadata store, and on each node the versions
// that were visible there at it.
//
// The revision is one for all nodes, and every transaction that was decided at it or before is visible on each. A node
// fixes its own last commit when it is opened. All replicas in sync of a partition are opened at once, so that another
// one can take over at the same revision; one that answers later than the others is not waited for. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_map.h"
#include "runtime/value/value.h"

namespace pelorus {

class Cluster;
class Participant;

class ClusterQuery {
public:
    // Takes the newest revision and opens this node. Throws SystemError when the metadata store does not answer.
    ClusterQuery(Cluster& cluster, Participant& participant);
    ~ClusterQuery();
    ClusterQuery(const ClusterQuery&) = delete;
    ClusterQuery& operator=(const ClusterQuery&) = delete;

    // A number of this query that no other has: other nodes know what it holds by it.
    uint64_t number() const { return number_; }
    // Returns the number of the snapshot of this node's chunks.
    uint64_t here() const { return here_; }
    // Whether this node has the partition as a replica that may show it.
    bool isHere(const PlacedChunk& chunk) const;

    // Returns the node that serves each of these partitions of a table, where "" is this one; opens their replicas.
    // Throws SystemError (retryable) when nobody serves one, or, with `mayBeAway`, returns a replica without its rows.
    struct Served {
        std::string node;
        std::optional<int64_t> rows;  // as they are stored, where a replica was asked
        bool isEmpty() const { return rows && *rows == 0; }
    };
    std::vector<Served> nodesOf(uint64_t table, const std::vector<const PlacedChunk*>& chunks, bool mayBeAway = false);
    // Opens the query at all replicas of partitions that it is going to change, also at those that are slow: each has
    // to compare.
    void openForChange(uint64_t table, const std::vector<const PlacedChunk*>& chunks);
    // Returns how many rows the table has in the partition as they are stored; nothing when no replica was asked.
    std::optional<int64_t> rows(uint64_t table, const std::string& path) const;
    // Whether another node than this one may serve the chunk.
    bool hasAnother(const PlacedChunk& chunk, const std::string& alias) const;
    void lose(const std::string& alias, const std::string& why);
    // Returns the node that would be asked first, without asking it.
    std::string preferred(const PlacedChunk& chunk) const;

private:
    struct Opened {
        bool isOpen = false;
        std::string why;  // it is not
    };
    using Asked = std::map<std::string, std::vector<const PlacedChunk*>>;  // by alias
    void open(uint64_t table, const Asked& asked, bool waitsForAll);
    class Answers;
    void openAt(uint64_t table, const std::string& alias, const std::vector<const PlacedChunk*>& chunks,
                std::chrono::milliseconds limit, const std::atomic<bool>& isEnough, Opened& result, Value& rows);
    bool mayServe(const PlacedChunk& chunk, const std::string& alias) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    Cluster& cluster_;
    Participant& participant_;
    std::string name_;
    uint64_t number_ = 0;
    uint64_t revision_ = 0;
    uint64_t here_ = 0;
    bool isStale_ = false;  // it reads what was known before the metadata store went away
    std::shared_ptr<const ClusterConfig> config_;
    mutable Mutex mutex_;
    std::map<std::string, Opened> opened_ GUARDED_BY(mutex_);                      // by alias, of other nodes
    std::map<std::pair<uint64_t, std::string>, int64_t> rows_ GUARDED_BY(mutex_);  // by table and path
    std::map<std::string, std::string> lost_ GUARDED_BY(mutex_);                   // why
};

// The queries of this process, by number: tables of one statement share one.
class ClusterQueries {
public:
    std::shared_ptr<ClusterQuery> begin(Cluster& cluster, Participant& participant);
    // Returns nothing for the number of another node's query.
    std::shared_ptr<ClusterQuery> find(uint64_t number) const;

private:
    mutable Mutex mutex_;
    std::map<uint64_t, std::weak_ptr<ClusterQuery>> queries_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
