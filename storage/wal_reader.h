// Reads the records of one log file, in order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/file.h"
#include "storage/format.h"

namespace pelorus {

struct WalRecord {
    uint64_t number = 0;
    format::RecordKind kind = format::RecordKind::Commit;
    std::string_view payload;  // valid until the next call of next()
};

class WalReader {
public:
    // Throws SystemError when the file cannot be read. A file too short for its header has no records.
    WalReader(FileSystem& files, const std::string& path);

    // False at the end, and at the first record that is cut off or fails its checksum.
    bool next(WalRecord& record);

    // Bytes up to the end of the last whole record.
    int64_t goodBytes() const { return position_; }
    // Whether something that is not a whole record follows them.
    bool torn() const { return position_ < fileBytes_; }

private:
    bool fill(int64_t offset, size_t sizeBytes, std::string& bytes) const;

    std::unique_ptr<File> file_;
    int64_t fileBytes_ = 0;
    int64_t position_ = 0;
    bool usable_ = false;
    std::string payload_;
};

}  // namespace pelorus
