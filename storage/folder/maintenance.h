// Work in the background of one data folder.
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/segment/segment.h"

namespace pelorus {

class CommitPath;
class PreparedCommits;
struct StorageParts;
struct TableOrder;

// Flushes rows in memory to segments, merges small segments, and writes checkpoints: each also on demand, and all by a
// thread of its own between `begin` and `end`. Thread-safe. LocalStorage owns it.
class Maintenance {
public:
    Maintenance(StorageParts& parts, CommitPath& commits, PreparedCommits& prepared)
        : parts_(parts), commits_(commits), prepared_(prepared) {}
    ~Maintenance() { end(); }

    // Starts the thread. REQUIRES: the folder is recovered.
    void begin();
    // Ends the thread after what it does now.
    void end() LOCKS_EXCLUDED(wakeMutex_);
    // Wakes the thread, since the write cache is full or a segment was added.
    void notePressure() LOCKS_EXCLUDED(wakeMutex_);
    // Returns the failure of the last run in the background; empty when it succeeded.
    std::string error() const LOCKS_EXCLUDED(wakeMutex_);

    // Writes the rows in memory of chunks that have at least so many into segments.
    void flush(int64_t minimumRows = 1) LOCKS_EXCLUDED(step_);
    // Merges small adjacent segments of each chunk.
    void compact() LOCKS_EXCLUDED(step_);
    // Writes the state to a checkpoint, and removes what of the log is older.
    void checkpoint() LOCKS_EXCLUDED(step_);
    // After a failed sync of the log: begins a new one, with a checkpoint of all that is installed in the place of the
    // old. What failed is not there then, and commits are accepted again. Does nothing while the log is sound. Throws
    // SystemError when the disk still refuses.
    void renewLog() LOCKS_EXCLUDED(step_);

private:
    void run();
    std::string doRound(bool isPressed, bool isOld);
    void flushChunks(const std::vector<uint64_t>& chunks) EXCLUSIVE_LOCKS_REQUIRED(step_);
    bool compactChunk(uint64_t chunk, const TableOrder& order, const ColumnCompression& compression)
        EXCLUSIVE_LOCKS_REQUIRED(step_);

    StorageParts& parts_;
    CommitPath& commits_;
    PreparedCommits& prepared_;
    Mutex step_;  // orders steps: one flush, compaction or checkpoint at a time
    mutable Mutex wakeMutex_;
    CondVar wake_;
    bool stopping_ GUARDED_BY(wakeMutex_) = false;
    bool pressed_ GUARDED_BY(wakeMutex_) = false;  // a round is due
    std::string error_ GUARDED_BY(wakeMutex_);
    std::thread thread_;
};

}  // namespace pelorus
