// Snapshots that queries hold on this node, and the holds of this node's queries on others.
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

// The pin of a query keeps the versions that its snapshot shows. It ends with `close`, with the process of the query's
// node, or when that node, asked every few seconds, no longer knows the query. Thread-safe. Participant owns it.
class SnapshotPins {
public:
    SnapshotPins(LocalStorage& storage, Cluster& cluster, ClusterMap& map, Installer& installer);

    // Holds what a query at this revision of the store reads here, and returns the number of its snapshot; the second
    // call with a query gets the first one's. `replicated`: of chunks that other nodes keep, too, which this node may
    // show only while it is in sync. Throws SystemError (retryable) when it does not come to the revision, is out of
    // sync, or no longer has it.
    uint64_t open(uint64_t query, const std::string& name, uint64_t revision, bool replicated);
    void close(uint64_t query);
    // Returns the number of a query's snapshot here; nothing when the query is not open.
    std::optional<uint64_t> find(uint64_t query) const;
    // Returns the number of a query's snapshot here. Throws SystemError (retryable) when the query is not open.
    uint64_t snapshot(uint64_t query) const;

    // Queries of this process that hold something on other nodes, by name: those that others ask about and that are not
    // among them have ended.
    void beginHold(const std::string& name);
    void endHold(const std::string& name);
    std::vector<std::string> stillHeld(const std::vector<std::string>& names) const;
    // Tells another node soon that a query of this process has ended.
    void closeElsewhere(const std::string& alias, uint64_t query);

    // Steps of the background, called by one thread.
    // Pins what the last second superseded: a query reads at a revision that it has asked for a moment ago.
    void keepRecent();
    void sendCloses();
    // Ends the pins of processes that are gone, and of queries that their node no longer knows.
    void endForgotten();

private:
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
    // Used by the background only.
    std::chrono::steady_clock::time_point recentMoved_;
    std::unique_ptr<VersionSet::Pin> recent_, older_;
};

}  // namespace pelorus
