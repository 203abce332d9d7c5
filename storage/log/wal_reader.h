// Reads the records of one log file, in order, and its marks of how far the log was synced.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/file.h"
#include "storage/format.h"

namespace pelorus {

// A record of the log.
struct WalRecord {
    uint64_t number = 0;
    format::RecordKind kind = format::RecordKind::Commit;
    std::string_view payload;  // valid until the next call of next()
};

// A reader of one log file, which FolderRecovery uses. It changes nothing. Calls throw SystemError when the file cannot
// be read. Not thread-safe.
class WalReader {
public:
    // Opens the file and reads its header. `number` is that of the file.
    WalReader(FileSystem& files, const std::string& path, uint64_t number);

    // The state of the file's header. A file is begun by writing and syncing its header before any record: one that is
    // no longer than its header may have been cut off by a crash, and contains nothing; in a longer one a bad header is
    // damage.
    enum class Header { Whole, Unfinished, Damaged };
    Header header() const { return header_; }
    // Returns the synced end of the previous file at the time when this one was begun; 0 when the header does not say.
    int64_t endOfFileBefore() const { return endOfFileBefore_; }

    // Reads the next record. Returns false at the end, and at the first record that is cut off or fails its checksum.
    // Marks are not records: `synced` accounts for them.
    bool next(WalRecord& record);

    // Returns the number of bytes up to the end of the last whole record.
    int64_t goodBytes() const { return position_; }
    // Returns whether bytes that are not a whole record follow them. REQUIRES: `next` has returned false.
    bool torn() const { return position_ < fileBytes_; }
    bool holdsRecords() const { return holdsRecords_; }

    // Returns the largest mark read so far.
    format::WalPosition synced() const { return synced_; }
    // Returns the largest mark in the file, also after the bad record at which `next` stopped. The bytes there may have
    // become durable out of order, so they are no part of the log, but their marks were true.
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

// Returns the bytes of a mark for a file with this salt.
std::string encodeMark(format::WalPosition synced, uint32_t salt);

}  // namespace pelorus
