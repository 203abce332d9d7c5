// Locks a data folder against other processes.
#pragma once

#include <memory>
#include <string>

#include "common/io/file.h"

namespace pelorus {

// A lock of this process on a data folder and the folder of its log, as long as the object lives. The kernel releases
// it when the process ends, however it ends. StorageParts owns it. Not thread-safe.
class FolderLock {
public:
    // Locks the folder; makes it when it does not exist. Throws SystemError when another process has locked it: the
    // message names that process and its address.
    FolderLock(FileSystem& files, const std::string& folder);

    // Locks the folder of the log, `logFolder`, too, if it is not the folder "wal" of the data folder, and notes its
    // path there: a data folder that is opened without its log would lose the log's commits. Throws SystemError when
    // the data folder's log is kept elsewhere, when another process has the log's folder, or when a new data folder is
    // given one that is not empty.
    void claimLog(const std::string& logFolder);
    // Notes the address at which this process listens, such as "127.0.0.1:8848", for the message to a second process.
    void announce(const std::string& address);

private:
    FileSystem& files_;
    const std::string folder_;
    std::unique_ptr<FileLock> data_, log_;
};

}  // namespace pelorus
