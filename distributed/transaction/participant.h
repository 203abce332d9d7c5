// This node's part in transactions of the cluster, and the snapshots that queries of other nodes hold here.
//
// A prepared transaction waits for its record in the metadata store: the map installs it at its revision, in the order
// of all others. Where the record does not come, the coordinator is asked whether the transaction is still open; when
// it is not, the record "abort" is written on the condition that there is none: nobody comes to a different end.
//
// A pin of another node's query ends with `close`, with the process of that node, or when that node, asked every few
// seconds, no longer knows the query. Thread-safe. A service.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "common/thread/mutex.h"
#include "distributed/metadata/cluster_map.h"
#include "distributed/transaction/attempt.h"
#include "distributed/transaction/writes.h"
#include "storage/version/version_set.h"

namespace pelorus {

class Cluster;
class Installer;
class LocalStorage;
struct TableEntry;

class Participant {
public:
    // Registers this process as the node's, installs what was decided while it was away, and follows the store from
    // there. `maxStaleness` as in ClusterMap.
    Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster,
                std::chrono::milliseconds maxStaleness = std::chrono::milliseconds(0));
    ~Participant();

    LocalStorage& storage() { return *storage_; }
    ClusterMap& map() { return *map_; }
    const std::string& alias() const;

    // Commits what touches only chunks that this node alone keeps: Done, Busy, TableChanged or RowsChanged.
    Attempt::Outcome commit(const Writes& writes);
    // `waits`: for transactions that hold a chunk, else it is given up soon. Throws SystemError when this node does not
    // come to the sender's revision, or the disk refuses: then the node goes out of sync when others have its chunks,
    // too.
    PrepareAnswer prepare(const std::string& transaction, const std::vector<std::string>& participants,
                          uint64_t configRevision, Writes writes, bool waits);
    // Writes this node out of sync, when others have its chunks, too. Throws SystemError when the store does not
    // answer.
    void leave(const std::string& why);
    // Forgets a prepared transaction. REQUIRES: its coordinator never sent it for decision.
    void forget(const std::string& transaction);
    // Transactions that this process coordinates and that have no end yet.
    void beginTransaction(const std::string& transaction);
    void endTransaction(const std::string& transaction);
    // Whether its end is still this process's to decide.
    bool isOpen(const std::string& transaction) const;

    // Waits until this node knows of the revision, and all has ended that it began to commit to the partition before.
    // Throws SystemError (retryable) when that takes long.
    void settleCommits(const std::string& database, const std::string& path, uint64_t revision);

    // Holds what a query at this revision of the store reads here, and returns the number of its snapshot; the second
    // call with a name gets the first one's. `replicated`: of chunks that other nodes keep, too, which this node may
    // show only while it is in sync. Throws SystemError (retryable) when it does not come to the revision, is out of
    // sync, or no longer has it.
    uint64_t open(uint64_t query, const std::string& name, uint64_t revision, bool replicated);
    void close(uint64_t query);
    // Tells another node soon that a query of this process has ended.
    void closeElsewhere(const std::string& alias, uint64_t query);
    // Returns the number of a query's snapshot here. Throws SystemError (retryable) when the query is not open.
    uint64_t opened(uint64_t query) const;
    // Returns how many rows these partitions of a table have here, in the snapshot of an open query, as they are
    // stored.
    std::vector<int64_t> storedRows(uint64_t query, uint64_t table, const std::vector<std::string>& paths) const;
    // Queries of this process that hold something on other nodes: those that are asked about and not among them have
    // ended.
    void beginHold(const std::string& name);
    void endHold(const std::string& name);
    std::vector<std::string> stillHeld(const std::vector<std::string>& names) const;

    // Returns a part of a chunk as it is stored here, in the snapshot of an open query; null behind the last one.
    Ref<MemoryTable> fetch(uint64_t query, uint64_t table, const std::string& path, size_t part) const;
    // What the copy of a partition here stands for, in the snapshot of an open query: the number of the last commit
    // that changed its rows, 0 when none is known, and the revision at which this node was complete.
    struct CopyStamp {
        uint64_t change = 0;
        uint64_t since = 0;
    };
    CopyStamp copyStamp(uint64_t query, uint64_t table, const std::string& path) const;
    // The rows of a table that this node keeps, of the chunks with these paths.
    int64_t rowCount(const TableEntry& table, const std::set<std::string>& paths) const;
    // Returns the revision up to which everything is installed here and on the disk; 0 while this node's folder is
    // lost.
    uint64_t confirmedRevision() const;
    // Notes what other nodes have confirmed, by alias.
    void noteConfirmed(const std::string& alias, uint64_t revision);

private:
    struct HeldPin {
        std::string name;
        std::unique_ptr<VersionSet::Pin> pin;
        std::chrono::steady_clock::time_point asked;  // when the holder was last known to hold it
    };
    void registerProcess();
    void note();
    void settleOld();
    std::optional<uint64_t> snapshotOf(uint64_t query) const;
    bool areBound(const Writes& writes) const;
    std::optional<std::vector<PlacedChunk>> placesHere(const Writes& writes) const;
    void removeDropped();
    void removeLeft();
    void purgeTombstones();
    void endForgottenPins();
    void sendCloses();
    void movePin();
    void settleDoubts();
    bool isOpenElsewhere(const std::string& transaction);
    void purge();
    void run();

    const std::shared_ptr<LocalStorage> storage_;
    Cluster& cluster_;
    const std::unique_ptr<Installer> installer_;
    mutable Mutex mutex_;
    std::map<uint64_t, HeldPin> pins_ GUARDED_BY(mutex_);
    std::set<std::string> holds_ GUARDED_BY(mutex_);
    std::map<std::string, std::vector<int64_t>> toClose_ GUARDED_BY(mutex_);  // queries, by alias
    std::set<std::string> open_ GUARDED_BY(mutex_);
    std::map<std::string, uint64_t> confirmedBy_ GUARDED_BY(mutex_);
    std::set<uint64_t> removed_ GUARDED_BY(mutex_);  // dropped tables without rows here
    // Used by the thread only.
    std::chrono::steady_clock::time_point revisionNoted_, pinMoved_;
    // Pins of what the last second superseded: a query reads at a revision that it has asked for a moment ago.
    std::unique_ptr<VersionSet::Pin> recent_, older_;
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::unique_ptr<ClusterMap> map_;
    std::thread thread_;
};

}  // namespace pelorus
