// The part of a node in transactions of the cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "distributed/metadata/placed_chunk.h"
#include "storage/commit/commit_result.h"
#include "storage/commit/write_batch.h"

namespace pelorus {

class Cluster;
class ClusterMap;
class Installer;
class LocalStorage;
class SnapshotPins;

// A participant in transactions: it commits batches for chunks that this node alone keeps, and prepares the node's part
// of transactions over several nodes. A prepared transaction waits for its record in the metadata store: the map has it
// installed at the record's revision, in the order of all others. Where the record does not come, the coordinator is
// asked whether the transaction is still open; when it is not, the record "abort" is written on the condition that
// there is none, so that the transaction ends in the same way on all nodes. Called by Coordinator, and for other nodes
// by built-ins. Thread-safe. Participant owns it; the arguments of the constructor outlive it.
class PreparedTransactions {
public:
    PreparedTransactions(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer,
                         const SnapshotPins& pins)
        : storage_(storage), cluster_(cluster), map_(map), installer_(installer), pins_(pins) {}

    // Commits a batch for chunks that this node alone keeps. Returns Done, TableChanged (also when another node is to
    // keep one of the chunks), RowsChanged or RowsMoved, or Busy when it replaces rows; a batch that only adds rows
    // throws ChunkIsBusy instead. Throws SystemError when the disk refuses, or the query that saw the replaced rows is
    // not open here.
    CommitResult commit(WriteBatch batch);
    // Prepares a batch, and returns Done when it is durable; else why it is not prepared (CommitResult). `waits`: waits
    // for up to five seconds for transactions that hold a chunk, instead of a tenth of one. Throws SystemError when
    // this node does not hear of the sender's revision in time, or the disk refuses: then the node leaves those in
    // sync, if others have its chunks, too.
    CommitResult prepare(const std::string& transaction, const std::vector<std::string>& participants,
                         uint64_t configRevision, WriteBatch batch, bool waits);
    // Forgets a prepared transaction. REQUIRES: no decision of it exists or can come to exist
    // (Attempt::mayForget).
    void forget(const std::string& transaction);
    // Waits until this node knows of the revision, and every commit to the partition that it began before has ended.
    // Throws SystemError (retryable) when that takes long.
    void settleCommits(const std::string& database, const std::string& path, uint64_t revision);

    // Notes that this process coordinates the transaction from now on, or that it has ended.
    void begin(const std::string& transaction);
    void end(const std::string& transaction);
    // Returns whether this process coordinates the transaction and may still decide it; false while this node does not
    // reach the metadata store.
    bool isOpen(const std::string& transaction) const;
    // Returns the transactions that this process coordinates and that have not ended.
    std::set<std::string> open() const;

    // Aborts the transactions that are prepared here and that their coordinators no longer decide. A step of
    // NodeMaintenance. Throws SystemError when the metadata store does not answer.
    void settleDoubts();

private:
    bool areBound(const WriteBatch& batch) const;
    std::optional<std::vector<PlacedChunk>> placesHere(const WriteBatch& batch) const;
    bool noteSnapshots(WriteBatch& batch, const std::vector<PlacedChunk>& places, bool isIn) const;
    bool isOnlyHere(const PlacedChunk& place) const;
    bool isOpenElsewhere(const std::string& transaction);

    LocalStorage& storage_;
    Cluster& cluster_;
    ClusterMap& map_;
    Installer& installer_;
    const SnapshotPins& pins_;
    mutable Mutex mutex_;
    std::set<std::string> open_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
