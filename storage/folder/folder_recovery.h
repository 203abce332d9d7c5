// Recovers a data folder, however the process before has ended.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "storage/format.h"

namespace pelorus {

class CommitPath;
class PreparedCommits;
struct Edit;
struct StorageParts;

// A recovery brings the parts of a folder's storage to the state of the newest checkpoint and the log after it, and
// begins the next file of the log. LocalStorage uses one, once, on one thread, before anybody else sees the parts.
class FolderRecovery {
public:
    FolderRecovery(StorageParts& parts, CommitPath& commits, PreparedCommits& prepared)
        : parts_(parts), commits_(commits), prepared_(prepared) {}

    // Recovers the folder. Throws DamagedData when a file is missing or damaged: then nothing in the folder has
    // changed. Throws SystemError when the log is kept elsewhere than the options say, or the disk refuses.
    void run();

private:
    bool hasBegun() const;
    void noteBegun();
    format::WalPosition replayLogs(uint64_t checkpointNumber, uint64_t rowsFrom);
    void replayRows(uint64_t number, const std::vector<Edit>& edits);
    void applyRecord(uint64_t number, format::RecordKind kind, std::string_view payload);
    void removeOrphans();

    StorageParts& parts_;
    CommitPath& commits_;
    PreparedCommits& prepared_;
};

}  // namespace pelorus
