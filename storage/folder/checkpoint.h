// Writes and loads checkpoints: the state between two log files, so that recovery need not read the older ones.
#pragma once

#include <cstdint>
#include <string>

#include "storage/rows/row_store.h"

namespace pelorus {

class PreparedCommits;
struct StorageParts;

// The state that a checkpoint holds. A plain value.
struct CheckpointState {
    std::string bytes;  // without where the rows of row tables are
    RowStore::OnDisk rows;
};
// Returns the installed state: metadata, chunks, prepared transactions, ids of appends; and where the rows of row
// tables are, in images and in the log. REQUIRES: the log file `number` is being begun, and no commit is
// under way.
CheckpointState encodeCheckpoint(StorageParts& parts, const PreparedCommits& prepared, uint64_t number);
// Writes the file of the checkpoint before the log file `number`. When it returns, the file is durable, and older log
// files and checkpoints are not needed any more, but for those with rows. Throws SystemError when the disk
// refuses.
void writeCheckpoint(const StorageParts& parts, uint64_t number, const CheckpointState& state);
// Removes files of the log, of images and checkpoints that are older than the checkpoint `number` and not needed by it.
void removeOlderThan(const StorageParts& parts, uint64_t number, const CheckpointState& state);
// Brings the parts to the state of the checkpoint, and returns the log file with the first change of rows that it has
// not; 0 when there is no row table. Throws DamagedData when it, or a file of images, fails its checksum. REQUIRES: the
// parts are empty.
uint64_t loadCheckpoint(StorageParts& parts, PreparedCommits& prepared, uint64_t number);

}  // namespace pelorus
