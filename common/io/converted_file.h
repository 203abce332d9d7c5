// ConvertedFile is a file whose bytes are computed from another file's while they are read.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "common/io/file.h"

namespace pelorus {

// A read-only file: inflated, or in another encoding than its source, which it owns. To write it is a defect of the
// caller.
class ConvertedFile : public File {
public:
    // The size of a file whose size is unknown before its end is read.
    static constexpr int64_t kUnknownSize = std::numeric_limits<int64_t>::max();

    explicit ConvertedFile(std::shared_ptr<const File> source) : source_(std::move(source)) {}

    const std::string& path() const final { return source_->path(); }
    // Returns the size of the file that is converted; unknown when that one is converted, too.
    int64_t sourceBytes() const { return source_->size(); }
    // Returns how many bytes of the source were needed up to the last byte that was read.
    virtual int64_t sourceBytesRead() const = 0;

    void append(std::string_view bytes) final;
    void overwrite(int64_t offset, std::string_view bytes) final;
    void sync() final;
    void reserve(int64_t sizeBytes) final;
    void truncate(int64_t sizeBytes) final;

protected:
    const File& source() const { return *source_; }

private:
    const std::shared_ptr<const File> source_;
};

}  // namespace pelorus
