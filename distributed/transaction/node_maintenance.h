// The background work of a node of the cluster on its storage and its part in transactions.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

class Cluster;
class ClusterMap;
class Installer;
class LocalStorage;
class PreparedTransactions;
class SnapshotPins;

// A background task that confirms what is installed, settles transactions in doubt, ends forgotten pins, and removes
// what no node needs any more: records of decisions, tombstones, rows of dropped tables, copies that have left. It runs
// on one thread, up to four rounds a second, from its construction to its end; what fails is tried again in the next
// round. Thread-safe. Participant owns it; the arguments of the constructor outlive it.
class NodeMaintenance {
public:
    NodeMaintenance(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer,
                    PreparedTransactions& transactions, SnapshotPins& pins);
    ~NodeMaintenance();

    // Returns the revision up to which everything is installed here and on the disk, and rows of dropped tables are
    // removed; 0 while this node's folder is lost.
    uint64_t confirmedRevision() const LOCKS_EXCLUDED(mutex_);
    // Notes the revision that a node has confirmed, as SyncStates hears from it.
    void noteConfirmed(const std::string& alias, uint64_t revision) LOCKS_EXCLUDED(mutex_);

private:
    void run();
    void doRound();
    void removeDropped();
    std::vector<std::pair<std::string, std::string>> leftPlaces() const;
    void removeLeft();
    void purgeRecords();
    void purgeTombstones();

    LocalStorage& storage_;
    Cluster& cluster_;
    ClusterMap& map_;
    Installer& installer_;
    PreparedTransactions& transactions_;
    SnapshotPins& pins_;
    std::chrono::steady_clock::time_point folderNoted_;  // used by the thread only
    mutable Mutex mutex_;
    std::map<std::string, uint64_t> confirmedBy_ GUARDED_BY(mutex_);  // revisions, by alias
    std::set<uint64_t> removed_ GUARDED_BY(mutex_);                   // dropped tables without rows here
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

// Notes in the store what this node's folder has on its disk; its next start compares that with the folder. Until a
// lost folder is complete again, the store keeps the note of the folder before. Throws SystemError when the store does
// not answer.
void noteOwnFolder(LocalStorage& storage, Cluster& cluster);

}  // namespace pelorus
