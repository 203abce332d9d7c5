// This node's part in transactions over several nodes, and the snapshots that other nodes' queries hold here.
//
// A prepared transaction waits for its decision: from the coordinator, or, when that is gone, from the record
// txn/<id> of the metadata store. Whoever finds no record of a coordinator that is gone writes "abort" there, on the
// condition that there is none: coordinator and participants cannot come to different ends. Thread-safe. A service.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "storage/local_storage.h"

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

    // Holds the versions that a snapshot from now on needs, under a name that begins with the holder's incarnation, and
    // returns this node's clock. Ends with `unpin`, or when the holder is gone.
    uint64_t pin(const std::string& name);
    void unpin(const std::string& name);
    // The rows of a table that this node keeps.
    int64_t rowCount(const TableEntry& table) const;

private:
    void settle();
    void settleOne(const std::string& transaction);
    bool waitedTooLong(const std::string& transaction);
    void run();

    const std::shared_ptr<LocalStorage> storage_;
    Cluster& cluster_;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<VersionSet::Pin>> pins_;
    std::map<std::string, std::chrono::steady_clock::time_point> waitingSince_;  // of transactions; by settle only
    std::condition_variable stopChanged_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace pelorus
