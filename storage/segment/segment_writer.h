// Encoder of rows as segments, and writer of segment files.
#pragma once

#include <memory>
#include <string>

#include "common/io/file.h"
#include "common/thread/mutex.h"
#include "runtime/table/table.h"
#include "storage/segment/segment.h"

namespace pelorus {

// Writer of one segment file. `add` may be called by several threads at once; they encode in parallel.
class SegmentFileWriter {
public:
    SegmentFileWriter(FileSystem& files, const std::string& folder, uint64_t number);
    // An unfinished file is removed.
    ~SegmentFileWriter();

    // With a cipher, of the table that the rows belong to, all of the segment is encrypted.
    SegmentLocation add(const MemoryTable& rows, const ColumnCompression& compression = {},
                        const TableCipher* cipher = nullptr);
    // Everything is on disk when it returns. REQUIRES: every `add` has returned; so the lock is not needed.
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
