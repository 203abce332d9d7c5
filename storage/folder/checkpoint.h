// Checkpoint: the state at the border of two log files, so that recovery need not read the older ones.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

class PreparedCommits;
struct StorageParts;

// Returns the installed state as bytes: metadata, chunks, prepared transactions, ids of appends. REQUIRES: no commit is
// under way.
std::string encodeCheckpoint(const StorageParts& parts, const PreparedCommits& prepared);
// Writes the file of the checkpoint before the log file `number`. Returns when it is in place: what it replaces is
// garbage from then on. Throws SystemError when the disk refuses.
void writeCheckpoint(const StorageParts& parts, uint64_t number, const std::string& bytes);
// Removes files of the log and checkpoints that are older than the checkpoint.
void removeOlderThan(const StorageParts& parts, uint64_t checkpoint);
// Brings the parts to the state of the checkpoint. Throws DamagedData when it fails its checksum.
void loadCheckpoint(StorageParts& parts, PreparedCommits& prepared, uint64_t number);

}  // namespace pelorus
