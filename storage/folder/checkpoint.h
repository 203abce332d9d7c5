// Writes and loads checkpoints: the state between two log files, so that recovery need not read the older ones.
#pragma once

#include <cstdint>
#include <string>

namespace pelorus {

class PreparedCommits;
struct StorageParts;

// Returns the installed state as bytes: metadata, chunks, prepared transactions, ids of appends. REQUIRES: no commit is
// under way.
std::string encodeCheckpoint(const StorageParts& parts, const PreparedCommits& prepared);
// Writes the file of the checkpoint before the log file `number`. When it returns, the file is durable, and older log
// files and checkpoints are not needed any more. Throws SystemError when the disk refuses.
void writeCheckpoint(const StorageParts& parts, uint64_t number, const std::string& bytes);
// Removes files of the log and checkpoints that are older than the checkpoint.
void removeOlderThan(const StorageParts& parts, uint64_t checkpoint);
// Brings the parts to the state of the checkpoint. Throws DamagedData when it fails its checksum. REQUIRES: the parts
// are empty.
void loadCheckpoint(StorageParts& parts, PreparedCommits& prepared, uint64_t number);

}  // namespace pelorus
