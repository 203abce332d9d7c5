#include "storage/version/volumes.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/io/disk_full.h"
#include "storage/format.h"

namespace pelorus {

Volumes::Volumes(FileSystem& files, const std::string& own, const std::vector<std::string>& others,
                 double usageThreshold)
    : files_(files), usageThreshold_(usageThreshold), folders_{own} {
    files_.makeFolder(own);
    for (const std::string& volume : others) {
        files_.makeFolder(volume);
        // File numbers are local to this data folder: two folders in one volume would overwrite each other's files.
        locks_.push_back(files_.lock(joinPath(volume, "LOCK"), nullptr));
        if (!locks_.back()) {
            throw SystemError("The volume " + volume + " is in use by another process or data folder.",
                              "Give each node volumes of its own.");
        }
        folders_.push_back(joinPath(volume, "segments"));
        files_.makeFolder(folders_.back());
        files_.syncFolder(volume);
        for (const std::string& name : files_.list(folders_.back())) {
            uint64_t number;
            if (format::parseNumberedName(name, ".seg", number)) folderOf_[number] = folders_.size() - 1;
        }
    }
}

std::string Volumes::folderFor(uint64_t number) {
    const MutexLock guard(mutex_);
    const size_t first = folders_.size() > 1 ? 1 : 0, count = folders_.size() - first;
    for (size_t tried = 0; tried < count; ++tried) {
        const size_t at = first + next_++ % count;
        if (usageThreshold_ < 1 && files_.usedShare(folders_[at]) >= usageThreshold_) continue;
        if (at > 0) folderOf_[number] = at;
        return folders_[at];
    }
    throw DiskFull(fmt::format("Every volume is filled beyond volumeUsageThreshold={}: no column file is written.",
                               usageThreshold_),
                   "Free space on these disks, or add a volume.");
}

std::string Volumes::pathOf(uint64_t number) const {
    const MutexLock guard(mutex_);
    const auto at = folderOf_.find(number);
    return joinPath(folders_[at == folderOf_.end() ? 0 : at->second], format::numberedName(number, ".seg"));
}

}  // namespace pelorus
