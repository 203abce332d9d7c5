// The background work on one data folder.
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

// A background task that flushes rows in memory to segments, merges small segments, and writes checkpoints, on its own
// thread between `begin` and `end`; callers can do each on demand, too. These steps throw SystemError when the disk
// refuses: nothing is lost. Thread-safe: one step at a time. LocalStorage owns it.
class Maintenance {
public:
    Maintenance(StorageParts& parts, CommitPath& commits, PreparedCommits& prepared)
        : parts_(parts), commits_(commits), prepared_(prepared) {}
    ~Maintenance() { end(); }

    // Starts the thread. REQUIRES: the folder is recovered.
    void begin();
    // Ends the thread after its current round; does nothing when there is none.
    void end() LOCKS_EXCLUDED(wakeMutex_);
    // Wakes the thread, since the write cache is full or a segment was added.
    void notePressure() LOCKS_EXCLUDED(wakeMutex_);
    // Returns the error of the last round in the background; empty when it succeeded.
    std::string error() const LOCKS_EXCLUDED(wakeMutex_);

    // Writes the rows in memory of chunks that have at least `minimumRows` of them to segments.
    void flush(int64_t minimumRows = 1) LOCKS_EXCLUDED(step_);
    // Merges small adjacent segments of each chunk.
    void compact() LOCKS_EXCLUDED(step_);
    // Writes the state to a checkpoint, and removes the older files of the log.
    void checkpoint() LOCKS_EXCLUDED(step_);
    // Begins a new log after a failed sync, with a checkpoint of all that is installed in place of the old log. The
    // commits that failed are not in it, and commits are accepted again. Does nothing while the log is sound. Throws
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
