// Folders of the column files: that of the data folder, or those of several disks in turn. WAL-04.
//
// Thread-safe. A file stays where it was made; at the start all folders are searched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/io/file.h"
#include "common/thread/mutex.h"

namespace pelorus {

class Volumes {
public:
    // `own` is the folder of the data folder; with `others` new files go to these. Makes and locks them.
    // `usageThreshold` is the share of a disk, 0 to 1, from which on it takes no new files.
    // Throws SystemError for a volume that another process or data folder uses.
    Volumes(FileSystem& files, const std::string& own, const std::vector<std::string>& others, double usageThreshold);

    // Returns the folder for a new file: the next one in turn whose disk is not full. Throws SystemError (retryable)
    // when all are.
    std::string folderFor(uint64_t number);
    // Returns the path of a file, or the one that it would have if it is nowhere.
    std::string pathOf(uint64_t number) const;
    const std::vector<std::string>& folders() const { return folders_; }

private:
    FileSystem& files_;
    const double usageThreshold_;
    std::vector<std::string> folders_;  // the own one first
    std::vector<std::unique_ptr<FileLock>> locks_;
    mutable Mutex mutex_;
    size_t next_ GUARDED_BY(mutex_) = 0;
    std::unordered_map<uint64_t, size_t> folderOf_ GUARDED_BY(mutex_);  // of files that are not in the own one
};

}  // namespace pelorus
