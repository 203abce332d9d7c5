// MemoryFile is a File whose bytes are in memory, for code that reads or writes files and is given bytes.
#pragma once

#include <string>

#include "common/io/file.h"

namespace pelorus {

// A file without a place on disk. Its owner may read it by several threads while nobody writes, as any File.
class MemoryFile final : public File {
public:
    // Makes a file with these bytes. `path`: the name that errors say.
    explicit MemoryFile(std::string path, std::string bytes = {}) : path_(std::move(path)), bytes_(std::move(bytes)) {}

    void append(std::string_view bytes) override { bytes_ += bytes; }
    void overwrite(int64_t offset, std::string_view bytes) override;
    size_t readAt(int64_t offset, void* target, size_t sizeBytes) const override;
    // Does nothing: there is no disk.
    void sync() override {}
    void reserve(int64_t /*sizeBytes*/) override {}
    int64_t size() const override { return static_cast<int64_t>(bytes_.size()); }
    void truncate(int64_t sizeBytes) override { bytes_.resize(static_cast<size_t>(sizeBytes)); }
    const std::string& path() const override { return path_; }

    // Returns the content, which the file no longer has.
    std::string takeBytes() { return std::move(bytes_); }

private:
    const std::string path_;
    std::string bytes_;
};

}  // namespace pelorus
