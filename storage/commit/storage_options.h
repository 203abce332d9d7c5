// How the storage of a data folder is opened.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pelorus {

struct StorageOptions {
    bool dataSync = true;                 // a commit waits for the disk
    int64_t blockCacheBytes = 0;          // decoded blocks; 0 takes a fifth of the memory that the process may use
    int64_t writeCacheBytes = 256 << 20;  // of rows in memory, over all chunks, that start a flush
    int64_t checkpointBytes = 256 << 20;  // size of a log file that starts a checkpoint
    int64_t checkpointSeconds = 0;        // age of a log that starts one, too; 0: only its size does
    std::string keyFolder;                // of master keys, TDEKeyDir; none: no table can be encrypted
    std::string logFolder;                // of the log; empty: "wal" of the data folder
    std::vector<std::string> volumes;     // folders on other disks that take the column files in turn
    double volumeUsageThreshold = 1;      // share of a disk from which on it gets no new column files
    bool maintenance = true;              // flush, compact and checkpoint in the background
    // Called with what is damaged in the folder: whether its data may be put aside, since all of it is to be had
    // elsewhere, and the folder be opened without any. Null: never.
    std::function<bool(const std::string& damage)> mayMoveAside;
};

}  // namespace pelorus
