// The snapshot of a query on the nodes that it reads: a revision of the metadata store, and on each node the versions
// that were visible there at this revision.
//
// The revision is one for all nodes, and every transaction that was decided at it or before is visible on each. The
// local commits of a node are visible as far as they had come when the query was opened there. All replicas in sync of
// a partition are opened at once, so that another one can take over at the same revision; a replica that answers later
// than the others is not waited for.
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

// A query that this process has begun, with its pins on the nodes. ClusterQueries hands it out; the snapshots of the
// tables that a statement reads share one and keep it alive. While it lives, the nodes keep the versions that it shows;
// the destructor ends the pins, those of other nodes in the background. Thread-safe.
class ClusterQuery {
public:
    // Takes the newest revision and opens the query on this node. Throws SystemError when the metadata store does not
    // answer and staleness is not allowed, or the revision is not installed here within five seconds.
    ClusterQuery(Cluster& cluster, Participant& participant);
    ~ClusterQuery();
    ClusterQuery(const ClusterQuery&) = delete;
    ClusterQuery& operator=(const ClusterQuery&) = delete;

    // Returns the number of this query, which no other has: other nodes know its pins by it.
    uint64_t number() const { return number_; }
    // Returns the number of the query's snapshot of this node's chunks.
    uint64_t here() const { return here_; }
    // Returns whether this node is a replica of the partition that may show it to this query.
    bool isHere(const PlacedChunk& chunk) const;

    // The node that serves a partition.
    struct Served {
        std::string node;             // its alias; empty: this one
        std::optional<int64_t> rows;  // number of stored rows, where another replica was asked
        bool isEmpty() const { return rows && *rows == 0; }
    };
    // Returns the nodes that serve these partitions of a table, in their order, and opens the query on their replicas.
    // If no replica serves a partition, throws SystemError (retryable), or, with `mayBeAway`, returns a replica
    // without a number of rows.
    std::vector<Served> nodesOf(uint64_t table, const std::vector<const PlacedChunk*>& chunks, bool mayBeAway = false);
    // Opens the query on all replicas of partitions that are going to be changed, even on slow ones: each has to
    // compare the rows with those that the query has seen. A replica that fails is not reported here.
    void openForChange(uint64_t table, const std::vector<const PlacedChunk*>& chunks);
    // Returns the number of stored rows of the table in the partition; nothing when no other replica was asked.
    std::optional<int64_t> rows(uint64_t table, const std::string& path) const;
    // Returns whether a node other than `alias` may serve the chunk and is not silent.
    bool hasAnother(const PlacedChunk& chunk, const std::string& alias) const;
    // Notes that a node was lost, and why: it serves nothing of this query any more.
    void lose(const std::string& alias, const std::string& why);
    // Returns the node that would be asked first, without asking it; "" for this one.
    std::string preferred(const PlacedChunk& chunk) const;

private:
    // The result of opening the query on a node.
    struct Opened {
        bool isOpen = false;
        std::string why;  // reason why it is not open
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
    bool isStale_ = false;  // the metadata store does not answer: the query reads what was known before
    std::shared_ptr<const ClusterConfig> config_;
    mutable Mutex mutex_;
    std::map<std::string, Opened> opened_ GUARDED_BY(mutex_);                      // by alias, of other nodes
    std::map<std::pair<uint64_t, std::string>, int64_t> rows_ GUARDED_BY(mutex_);  // by table and path
    std::map<std::string, std::string> lost_ GUARDED_BY(mutex_);                   // reason, by alias
};

// A registry of the queries of this process by number, so that the tables of a statement share one.
// ClusterDatabaseService owns it; it does not keep queries alive. Thread-safe.
class ClusterQueries {
public:
    // Returns a new query. Throws as the constructor of ClusterQuery.
    std::shared_ptr<ClusterQuery> begin(Cluster& cluster, Participant& participant);
    // Returns the query of that number; null when it has ended, or is one of another process.
    std::shared_ptr<ClusterQuery> find(uint64_t number) const;

private:
    mutable Mutex mutex_;
    std::map<uint64_t, std::weak_ptr<ClusterQuery>> queries_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
