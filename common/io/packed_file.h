// InflatedFile reads .gz files and .zip archives and inflates them meanwhile: any file, however large, takes a window
// and a buffer of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/io/converted_file.h"
#include "common/thread/mutex.h"

namespace pelorus {

// A file in a .zip archive.
struct ZipEntry {
    std::string name;
    bool isDeflated = false;
    int64_t offset = 0;  // offset of the file's bytes in the archive
    int64_t packedBytes = 0;
    int64_t sizeBytes = 0;
    uint32_t checksum = 0;
};

// Returns the files of the archive, without its folders. Throws SystemError that names the archive when it is damaged,
// encrypted or packed by another method than deflate.
std::vector<ZipEntry> zipEntries(const File& archive);

// An inflating reader. Thread-safe. It is meant for sequential reading: going back inflates from the beginning. Reads
// throw SystemError with the position where the packed bytes are damaged or cut off.
class InflatedFile final : public ConvertedFile {
public:
    // Reads all members of a .gz file, one after the other.
    explicit InflatedFile(std::shared_ptr<const File> packed);
    InflatedFile(std::shared_ptr<const File> archive, ZipEntry entry);
    ~InflatedFile() override;

    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override;
    // Returns kUnknownSize for a .gz file.
    int64_t size() const override { return isGzip_ ? kUnknownSize : entry_.sizeBytes; }
    int64_t sourceBytesRead() const override;

private:
    struct Stream;
    void restart() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    size_t take(char* target, size_t sizeBytes) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    bool refill() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    bool nextMember() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void checkEntry() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    [[noreturn]] void refuse(const std::string& why) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const bool isGzip_;
    const ZipEntry entry_;
    mutable Mutex mutex_;
    mutable std::unique_ptr<Stream> stream_ GUARDED_BY(mutex_);
};

// Opens a file for reading; for a .gz file or a .zip archive, which the first bytes identify, its unpacked content.
// Throws SystemError when an archive does not contain exactly one file.
std::unique_ptr<File> openUnpacked(FileSystem& files, const std::string& path);

}  // namespace pelorus
