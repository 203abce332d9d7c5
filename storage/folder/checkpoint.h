// Writes and loads checkpoints: the state between two log files, so that recovery need not read the older ones.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

class PreparedCommits;
struct StorageParts;

// The state that a checkpoint holds. A plain value.
struct CheckpointState {
    std::string bytes;
    uint64_t rowsFrom = 0;  // the log file with the first change of a row table; 0: there is no row table
};
// Returns the installed state: metadata, chunks, prepared transactions, ids of appends; and, since rows of row tables
// are in the log alone, where their changes begin. REQUIRES: the log file `number` is being begun, and no commit is
// under way.
CheckpointState encodeCheckpoint(StorageParts& parts, const PreparedCommits& prepared, uint64_t number);
// Writes the file of the checkpoint before the log file `number`. When it returns, the file is durable, and older log
// files and checkpoints are not needed any more, but for those from `rowsFrom` on. Throws SystemError when the disk
// refuses.
void writeCheckpoint(const StorageParts& parts, uint64_t number, const CheckpointState& state);
// Removes files of the log and checkpoints that are older than the checkpoint `number` and not needed by it.
void removeOlderThan(const StorageParts& parts, uint64_t number, const CheckpointState& state);
// Brings the parts to the state of the checkpoint, and returns its `rowsFrom`. Throws DamagedData when it fails its
// checksum. REQUIRES: the parts are empty.
uint64_t loadCheckpoint(StorageParts& parts, PreparedCommits& prepared, uint64_t number);

}  // namespace pelorus
