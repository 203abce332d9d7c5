// Reader of the records of one log file, in order, and of its marks of how far the log was synced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/file.h"
#include "storage/format.h"

namespace pelorus {

struct WalRecord {
    uint64_t number = 0;
    format::RecordKind kind = format::RecordKind::Commit;
    std::string_view payload;  // valid until the next call of next()
};

class WalReader {
public:
    // Throws SystemError when the file cannot be read.
    WalReader(FileSystem& files, const std::string& path, uint64_t number);

    // State of the file's header. A file is begun by writing and syncing its header before any record: one no longer
    // than that may have been cut off by a crash, and holds nothing; in a longer one a bad header is damage.
    enum class Header { Whole, Unfinished, Damaged };
    Header header() const { return header_; }
    // Returns the synced end of the previous file at the time when this one was begun; 0 when the header does not say.
    int64_t endOfFileBefore() const { return endOfFileBefore_; }

    // Returns false at the end, and at the first record that is cut off or fails its checksum. Marks are not records:
    // `synced` accounts for them.
    bool next(WalRecord& record);

    // Returns the number of bytes up to the end of the last whole record.
    int64_t goodBytes() const { return position_; }
    // Whether bytes that are not a whole record follow them.
    bool torn() const { return position_ < fileBytes_; }
    bool holdsRecords() const { return holdsRecords_; }

    // Returns the largest mark read so far.
    format::WalPosition synced() const { return synced_; }
    // Searches for marks also after the bad record that `next` stopped at. The bytes there may have become durable out
    // of order, so they are no part of the log, but their marks were true.
    format::WalPosition syncedWithRest() const;

private:
    bool fill(int64_t offset, size_t sizeBytes, std::string& bytes) const;
    void readHeader();

    std::unique_ptr<File> file_;
    const uint64_t number_;
    Header header_ = Header::Damaged;
    int64_t endOfFileBefore_ = 0;
    uint32_t salt_ = 0;
    int64_t fileBytes_ = 0;
    int64_t position_ = 0;
    bool holdsRecords_ = false;
    format::WalPosition synced_;
    std::string payload_;
};

// Encodes a mark for a file with this salt.
std::string encodeMark(format::WalPosition synced, uint32_t salt);

}  // namespace pelorus
