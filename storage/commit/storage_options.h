// The options with which the storage of a data folder is opened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pelorus {

// The options of LocalStorage::open; the defaults are those of a server. A plain value.
struct StorageOptions {
    bool dataSync = true;                 // a commit waits for the disk
    int64_t blockCacheBytes = 0;          // bound of decoded blocks; 0: a fifth of the memory that the process may use
    int64_t writeCacheBytes = 256 << 20;  // size of rows in memory, over all chunks, that starts a flush
    int64_t checkpointBytes = 256 << 20;  // size of the log that starts a checkpoint
    int64_t checkpointSeconds = 0;        // age of a log file that starts one, too; 0: only its size does
    int64_t rowLogBytes = 256 << 20;      // log kept for row tables alone; more means images of their pages
    int64_t maxTransactionBytes = int64_t{1} << 30;  // bound of what a transaction changes in row tables
    std::string keyFolder;             // folder of master keys, TDEKeyDir; empty: no table can be encrypted
    std::string logFolder;             // folder of the log; empty: "wal" of the data folder
    std::vector<std::string> volumes;  // folders on other disks that take the column files in turn
    double volumeUsageThreshold = 1;   // share of a disk from which on it gets no new column files
    bool maintenance = true;           // flush, compact and checkpoint in the background
    // Called with a description of damage in the folder; returns whether its data may be moved aside, since all of it
    // can be copied from other nodes, and the folder be opened without any. Null: it may not.
    std::function<bool(const std::string& damage)> mayMoveAside;
};

}  // namespace pelorus
