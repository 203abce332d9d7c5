// This node's part in transactions over several nodes, and the snapshots that other nodes' queries hold here.
//
// A pin of another node's query ends with nodeUnpin, with the process of that node, or when that node, asked every few
// seconds, no longer knows the query.
//
// A prepared transaction waits for its decision: from the coordinator, or, when that is gone, from the record
// txn/<id> of the metadata store. Whoever finds no record of a coordinator that is gone writes "abort" there, on the
// condition that there is none: coordinator and participants cannot come to different ends. Thread-safe. A service.
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
#include "storage/version/local_storage.h"

namespace pelorus {

struct TableEntry;

class Cluster;

// Keys and values of decision records. In the metadata store: never change.
std::string decisionKey(const std::string& transaction);
std::string commitRecord(uint64_t at);
constexpr const char* kAbortRecord = "abort";

class Participant {
public:
    // Settles what recovery left undecided, then and from time to time in a thread of its own.
    Participant(std::shared_ptr<LocalStorage> storage, Cluster& cluster);
    ~Participant();

    LocalStorage& storage() { return *storage_; }

    // As the storage does, for chunks whose routes the store confirms; nothing when one of them is stale: the chunk was
    // dropped, or placed elsewhere. A number is never 0. An append that is sent again gets its first answer, also when
    // a route went stale since: the sender must not store the other chunks a second time.
    std::optional<uint64_t> append(std::vector<ChunkRows> chunks, const std::string& id);
    std::optional<uint64_t> prepare(const std::string& transaction, std::vector<ChunkRows> chunks);
    // Removes chunks of a table, all when `paths` is empty, that were placed here at `revision` or before.
    void removeChunks(uint64_t table, const std::vector<std::string>& paths, uint64_t revision);

    // Holds the versions that a snapshot from now on needs, under a name that begins with the holder's incarnation, and
    // returns this node's clock. Ends with `unpin`, or when the holder is gone.
    uint64_t pin(const std::string& name);
    void unpin(const std::string& name);
    // Snapshots of this process that hold something on other nodes: those that are asked about and not among them have
    // ended.
    void beginHold(const std::string& name);
    void endHold(const std::string& name);
    std::vector<std::string> stillHeld(const std::vector<std::string>& names) const;
    // The rows of a table that this node keeps.
    int64_t rowCount(const TableEntry& table) const;

private:
    struct HeldPin {
        std::unique_ptr<VersionSet::Pin> pin;
        std::chrono::steady_clock::time_point asked;  // when the holder was last known to hold it
    };
    bool routesHold(const std::vector<ChunkRows>& chunks);
    void endForgottenPins();
    void settle();
    void settleOne(const std::string& transaction);
    bool waitedTooLong(const std::string& transaction);
    void run();

    const std::shared_ptr<LocalStorage> storage_;
    Cluster& cluster_;
    mutable Mutex mutex_;
    std::map<std::string, HeldPin> pins_ GUARDED_BY(mutex_);
    std::set<std::string> holds_ GUARDED_BY(mutex_);
    std::chrono::steady_clock::time_point revisionNoted_;                        // by settle only
    std::map<std::string, std::chrono::steady_clock::time_point> waitingSince_;  // of transactions; by settle only
    CondVar stopChanged_;
    bool stopping_ GUARDED_BY(mutex_) = false;
    std::thread thread_;
};

}  // namespace pelorus
