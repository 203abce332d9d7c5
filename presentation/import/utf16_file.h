// Utf16File reads text files that other programs wrote as UTF-16 ("Unicode text") as UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/io/converted_file.h"
#include "common/thread/mutex.h"

namespace pelorus::text {

// A reader that converts UTF-16 to UTF-8 while it is read: any file, however large, takes a buffer of memory.
// Thread-safe. It is meant for sequential reading: going back converts from the beginning. Unpaired surrogates become
// U+FFFD. It cannot be written.
class Utf16File final : public ConvertedFile {
public:
    Utf16File(std::unique_ptr<File> source, bool isBigEndian, int64_t markBytes);
    ~Utf16File() override;

    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override;
    int64_t size() const override { return kUnknownSize; }
    int64_t sourceBytesRead() const override;

private:
    struct Position;
    bool convertNext() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const bool isBigEndian_;
    const int64_t markBytes_;
    mutable Mutex mutex_;
    mutable std::unique_ptr<Position> position_ GUARDED_BY(mutex_);
};

// Returns the file itself, or a converting reader of it if its first bytes are those of UTF-16: its mark, or zeros in
// every second byte. Throws UserError for UTF-32, which is not supported.
std::unique_ptr<File> openAsUtf8(std::unique_ptr<File> file);

}  // namespace pelorus::text
