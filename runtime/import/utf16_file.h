// Text files that other programs wrote as UTF-16 ("Unicode text"), read as UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/io/file.h"
#include "common/thread/mutex.h"

namespace pelorus::text {

// A reader that converts UTF-16 to UTF-8 while it is read: any file, however large, takes a buffer of memory.
// Thread-safe. Meant for sequential reading: to go back means to convert from the beginning. Halves of characters
// become U+FFFD. Cannot be written.
class Utf16File final : public File {
public:
    Utf16File(std::unique_ptr<File> source, bool isBigEndian, int64_t markBytes);
    ~Utf16File() override;

    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override;
    // Returns InflatedFile::kUnknownSize: how many bytes the text takes is unknown before its end is read.
    int64_t size() const override;
    const std::string& path() const override { return source_->path(); }
    // Return the size of the source (unknown when it is inflated), and how much of it was converted.
    int64_t sourceBytes() const { return source_->size(); }
    int64_t sourceBytesRead() const;

    void append(std::string_view bytes) override;
    void overwrite(int64_t offset, std::string_view bytes) override;
    void sync() override;
    void reserve(int64_t sizeBytes) override;
    void truncate(int64_t sizeBytes) override;

private:
    struct Position;
    bool convertNext() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const std::unique_ptr<File> source_;
    const bool isBigEndian_;
    const int64_t markBytes_;
    mutable Mutex mutex_;
    mutable std::unique_ptr<Position> position_ GUARDED_BY(mutex_);
};

// Returns the file itself, or a reader of it that converts when its first bytes are those of UTF-16: its mark, or a
// zero in every second byte. Throws UserError for UTF-32, which nothing here reads.
std::unique_ptr<File> openAsUtf8(std::unique_ptr<File> file);

}  // namespace pelorus::text
