// Lock of a data folder against other processes.
#pragma once

#include <memory>
#include <string>

#include "common/io/file.h"

namespace pelorus {

// The right of this process to a data folder and to the folder of its log, as long as the object lives. The kernel
// frees both when the process ends, however it ends.
class FolderLock {
public:
    // Makes the folder when it is not there. Throws SystemError when another process has it: names it, and its address.
    FolderLock(FileSystem& files, const std::string& folder);

    // Takes the folder of the log, `logFolder`, too, where that is not the folder "wal" of the data folder, and notes
    // its path there: a data folder that is opened without its log would lose the log's commits. Throws SystemError
    // when the data folder's log is kept elsewhere, when another process has the log's folder, or when a new data
    // folder is given one that is not empty.
    void claimLog(const std::string& logFolder);
    // Writes the address where this process listens, as in "127.0.0.1:8848", for a second process to report.
    void announce(const std::string& address);

private:
    FileSystem& files_;
    const std::string folder_;
    std::unique_ptr<FileLock> data_, log_;
};

}  // namespace pelorus
