// The folders of the column files: that of the data folder, or those of several disks in turn.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/io/file.h"
#include "common/thread/mutex.h"

namespace pelorus {

// A table of the column files of a data folder and the volumes that they are on, which it locks as long as it lives. A
// file stays where it was made; the constructor searches all volumes. StorageParts owns it. Thread-safe.
class Volumes {
public:
    // `own` is the folder of column files in the data folder; with `others`, new files go to these. Makes the folders,
    // and locks the others. `usageThreshold` is the used share of a disk, 0 to 1, from which on it takes no new files.
    // Throws SystemError for a volume that another process or data folder uses.
    Volumes(FileSystem& files, const std::string& own, const std::vector<std::string>& others, double usageThreshold);

    // Returns the folder for a new file: the next one in turn whose disk is not full. Throws DiskFull (retryable) when
    // all are.
    std::string folderFor(uint64_t number);
    // Returns the path of a file; for one that is on no volume, its path in the data folder.
    std::string pathOf(uint64_t number) const;
    const std::vector<std::string>& folders() const { return folders_; }

private:
    FileSystem& files_;
    const double usageThreshold_;
    std::vector<std::string> folders_;  // that of the data folder first
    std::vector<std::unique_ptr<FileLock>> locks_;
    mutable Mutex mutex_;
    size_t next_ GUARDED_BY(mutex_) = 0;
    std::unordered_map<uint64_t, size_t> folderOf_
        GUARDED_BY(mutex_);  // index in folders_ of files outside of the data folder
};

}  // namespace pelorus
