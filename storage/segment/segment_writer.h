// Encodes rows as segments, and writes files of segments.
#pragma once

#include <memory>
#include <string>

#include "common/io/file.h"
#include "common/thread/mutex.h"
#include "runtime/table/table.h"
#include "storage/segment/segment.h"

namespace pelorus {

// A writer of one segment file, for flushes, compactions and large commits. `add` may be called by several threads at
// once, which encode in parallel. Its calls throw SystemError when the disk refuses.
class SegmentFileWriter {
public:
    SegmentFileWriter(FileSystem& files, const std::string& folder, uint64_t number);
    // Removes the file, unless it is finished.
    ~SegmentFileWriter();

    // Appends the rows as one segment and returns its location. With the cipher of the rows' table, all of the segment
    // is encrypted. Throws UserError for a column of a type that cannot be stored. REQUIRES: there are rows.
    SegmentLocation add(const MemoryTable& rows, const ColumnCompression& compression = {},
                        const TableCipher* cipher = nullptr);
    // Syncs the file and its folder. REQUIRES: every `add` has returned; so the lock is not needed.
    void finish() NO_THREAD_SAFETY_ANALYSIS;

    const std::string& path() const { return path_; }

private:
    FileSystem& files_;
    const std::string path_;
    const uint64_t number_;
    Mutex mutex_;
    std::unique_ptr<File> file_ GUARDED_BY(mutex_);
    uint64_t written_ GUARDED_BY(mutex_) = 0;
    bool finished_ = false;
};

// Returns the bytes of one segment, as `add` writes them.
std::string encodeSegment(const MemoryTable& rows, const ColumnCompression& compression = {},
                          const TableCipher* cipher = nullptr);

}  // namespace pelorus
