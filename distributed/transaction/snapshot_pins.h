// The snapshots that queries of all nodes hold on this node, and the holds of this node's queries on others.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/version/version_set.h"

namespace pelorus {

class Cluster;
class ClusterMap;
class Installer;
class LocalStorage;

// A table of pins by query. A pin keeps the versions that the query's snapshot shows. It ends with `close`, with the
// process of the query's node, or when that node, asked every few seconds, no longer knows the query. Called by
// ClusterQuery, and for other nodes by built-ins. Thread-safe. Participant owns it; the arguments of the constructor
// outlive it.
class SnapshotPins {
public:
    SnapshotPins(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer);

    // Pins what a query at this revision of the store reads here, and returns the number of its snapshot; a second call
    // with a query returns that of the first. `name`: "<incarnation>/<number>" of the query. `replicated`: it reads
    // chunks that other nodes keep, too, which this node may show only if it has been in sync since the revision.
    // Throws SystemError (retryable) when the revision is not installed in time, this node was not in sync, or the
    // revision is no longer kept.
    uint64_t open(uint64_t query, const std::string& name, uint64_t revision, bool replicated);
    // Ends the pin of a query; does nothing when there is none.
    void close(uint64_t query);
    // Returns the number of a query's snapshot here; nothing when the query is not open.
    std::optional<uint64_t> find(uint64_t query) const;
    // Returns the number of a query's snapshot here. Throws SystemError (retryable) when the query is not open.
    uint64_t snapshot(uint64_t query) const;

    // Notes that a query of this process, by name, holds pins on nodes from now on, or no longer.
    void beginHold(const std::string& name);
    void endHold(const std::string& name);
    // Returns those of these queries of this process that still hold pins; the others have ended.
    std::vector<std::string> stillHeld(const std::vector<std::string>& names) const;
    // Lets the next round of NodeMaintenance report to another node that a query of this process has ended.
    void closeElsewhere(const std::string& alias, uint64_t query);

    // The following are steps of NodeMaintenance, called by its one thread.
    // Keeps the versions that were superseded within the last second: a query reads at a revision that it has asked for
    // a moment ago.
    void keepRecent();
    // Sends what closeElsewhere has noted; a node that does not answer will ask.
    void sendCloses();
    // Ends the pins of processes that are gone, and of queries that their node no longer knows.
    void endForgotten();

private:
    // A pin of a query.
    struct HeldPin {
        std::string name;
        std::unique_ptr<VersionSet::Pin> pin;
        std::chrono::steady_clock::time_point asked;  // when the query's node was last known to hold it
    };
    std::vector<std::string> askHeld(const std::string& alias, const std::vector<std::string>& names);

    LocalStorage& storage_;
    Cluster& cluster_;
    ClusterMap& map_;
    Installer& installer_;
    mutable Mutex mutex_;
    std::map<uint64_t, HeldPin> pins_ GUARDED_BY(mutex_);  // by query
    std::set<std::string> holds_ GUARDED_BY(mutex_);
    std::map<std::string, std::vector<int64_t>> toClose_ GUARDED_BY(mutex_);  // queries, by alias
    // These members are used by NodeMaintenance only.
    std::chrono::steady_clock::time_point recentMoved_;
    std::unique_ptr<VersionSet::Pin> recent_, older_;
};

}  // namespace pelorus
