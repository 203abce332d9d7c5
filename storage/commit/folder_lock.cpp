#include "storage/commit/folder_lock.h"

#include <fmt/format.h>
#include <unistd.h>

#include <vector>

#include "common/error.h"

namespace pelorus {
namespace {

std::string describeHolder(const std::string& address) {
    return fmt::format("pid={}\naddress={}\n", ::getpid(), address);
}

std::string fieldOf(const std::string& holder, const std::string& name) {
    const size_t at = holder.find(name + "=");
    if (at == std::string::npos) return "";
    const size_t begin = at + name.size() + 1;
    return holder.substr(begin, holder.find('\n', begin) - begin);
}

SystemError folderInUse(const std::string& folder, const std::string& holder) {
    const std::string pid = fieldOf(holder, "pid");
    const std::string address = fieldOf(holder, "address");
    if (address.empty() && pid == std::to_string(::getpid()))
        return SystemError("The data folder " + folder + " is in use by this process already.",
                           "Start a further session with the database that has it.");
    std::string what = "The data folder " + folder + " is in use by another process";
    if (!pid.empty()) what += " (pid " + pid + ")";
    if (!address.empty()) {
        return SystemError(what + ", which serves " + address + ".", "Connect to it: pelorus connect " + address);
    }
    return SystemError(what + ", which listens to no port.", "End that process, or choose another folder with --data.");
}

}  // namespace

FolderLock::FolderLock(FileSystem& files, const std::string& folder) : files_(files), folder_(folder) {
    files_.makeFolder(folder_);
    std::string holder;
    data_ = files_.lock(joinPath(folder_, "LOCK"), &holder);
    if (!data_) throw folderInUse(folder_, holder);
    announce("");
}

void FolderLock::claimLog(const std::string& logFolder) {
    const std::string own = joinPath(folder_, "wal"), note = joinPath(folder_, "LOGFOLDER");
    const std::string known = files_.exists(note) ? readWholeFile(files_, note) : own;
    const bool isNew = known == own && files_.list(own).empty() && files_.list(joinPath(folder_, "checkpoint")).empty();
    if (known != logFolder && !isNew) {
        throw SystemError("The log of " + folder_ + " lies in " + known + ", not in " + logFolder + ".",
                          known == own ? "Leave redoLogDir as it was when the folder was made: unset."
                                       : "Set redoLogDir=" + known + ".");
    }
    if (logFolder == own) return;
    log_.reset();
    log_ = files_.lock(joinPath(logFolder, "LOCK"), nullptr);
    if (!log_) throw SystemError("The log folder " + logFolder + " is in use by another process or data folder.");
    if (isNew && !files_.list(logFolder).empty() && files_.list(logFolder) != std::vector<std::string>{"LOCK"})
        throw SystemError("The log folder " + logFolder + " of a new data folder is not empty.", "Choose another one.");
    if (known != logFolder) replaceFile(files_, note, logFolder);
}

void FolderLock::announce(const std::string& address) {
    data_->describe(describeHolder(address));
}

}  // namespace pelorus
