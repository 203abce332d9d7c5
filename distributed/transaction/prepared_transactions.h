// This node's part in transactions of the cluster.
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

// Commits what concerns this node alone, and prepares its part of transactions over several nodes. A prepared
// transaction waits for its record in the metadata store: the map installs it at its revision, in the order of all
// others. Where the record does not come, the coordinator is asked whether the transaction is still open; when it is
// not, the record "abort" is written on the condition that there is none, so that all nodes come to the same end.
// Thread-safe. Participant owns it.
class PreparedTransactions {
public:
    PreparedTransactions(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer,
                         const SnapshotPins& pins)
        : storage_(storage), cluster_(cluster), map_(map), installer_(installer), pins_(pins) {}

    // Commits a batch for chunks that this node alone keeps. Returns Done, Busy, TableChanged, RowsChanged or
    // RowsMoved.
    CommitResult commit(WriteBatch batch);
    // Prepares a batch; `waits`: for transactions that hold a chunk, else it is given up soon. Throws SystemError when
    // this node does not come to the sender's revision, or the disk refuses: then the node goes out of sync when others
    // have its chunks, too.
    CommitResult prepare(const std::string& transaction, const std::vector<std::string>& participants,
                         uint64_t configRevision, WriteBatch batch, bool waits);
    // Forgets a prepared transaction. REQUIRES: its coordinator never sent it for decision.
    void forget(const std::string& transaction);
    // Waits until this node knows of the revision, and all has ended that it began to commit to the partition before.
    // Throws SystemError (retryable) when that takes long.
    void settleCommits(const std::string& database, const std::string& path, uint64_t revision);

    // Transactions that this process coordinates and that have no end yet.
    void begin(const std::string& transaction);
    void end(const std::string& transaction);
    // Returns whether the transaction's end is still this process's to decide.
    bool isOpen(const std::string& transaction) const;
    std::set<std::string> open() const;

    // Aborts what is prepared here and whose coordinator no longer decides it. A step of the background.
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
