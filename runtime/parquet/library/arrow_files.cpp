#include "runtime/parquet/library/arrow_files.h"

#include <arrow/buffer.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <utility>

#include "common/io/file.h"

namespace pelorus::parquet_file {

namespace {

template <class F>
arrow::Status statusOf(F&& f) {
    try {
        f();
        return arrow::Status::OK();
    } catch (const std::exception& e) {
        return arrow::Status::IOError(e.what());
    }
}

// A file of ours, read at any place by several threads.
class ReadableFile final : public arrow::io::RandomAccessFile {
public:
    ReadableFile(std::shared_ptr<File> file, arrow::MemoryPool& pool)
        : file_(std::move(file)), pool_(pool), sizeBytes_(file_->size()) {}

    arrow::Status Close() override {
        isClosed_ = true;
        return arrow::Status::OK();
    }
    bool closed() const override { return isClosed_; }
    arrow::Result<int64_t> Tell() const override { return position_; }
    arrow::Status Seek(int64_t position) override {
        position_ = position;
        return arrow::Status::OK();
    }
    arrow::Result<int64_t> GetSize() override { return sizeBytes_; }
    arrow::Result<int64_t> Read(int64_t count, void* target) override {
        ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, count, target));
        position_ += got;
        return got;
    }
    arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t count) override {
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bytes, ReadAt(position_, count));
        position_ += bytes->size();
        return bytes;
    }
    arrow::Result<int64_t> ReadAt(int64_t position, int64_t count, void* target) override {
        if (position < 0 || count < 0) return arrow::Status::IOError("a negative place in the file");
        size_t got = 0;
        ARROW_RETURN_NOT_OK(statusOf([&] { got = file_->readAt(position, target, static_cast<size_t>(count)); }));
        return static_cast<int64_t>(got);
    }
    arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t count) override {
        if (position < 0 || count < 0) return arrow::Status::IOError("a negative place in the file");
        // A length that the file cannot have is not reserved.
        count = std::min(count, std::max<int64_t>(0, sizeBytes_ - position));
        ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::ResizableBuffer> bytes,
                              arrow::AllocateResizableBuffer(count, &pool_));
        ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position, count, bytes->mutable_data()));
        ARROW_RETURN_NOT_OK(bytes->Resize(got));
        return bytes;
    }

private:
    const std::shared_ptr<File> file_;
    arrow::MemoryPool& pool_;
    const int64_t sizeBytes_;
    int64_t position_ = 0;
    bool isClosed_ = false;
};

// A file of ours that is appended to.
class WritableFile final : public arrow::io::OutputStream {
public:
    explicit WritableFile(std::shared_ptr<File> file) : file_(std::move(file)) {}

    arrow::Status Close() override {
        isClosed_ = true;
        return arrow::Status::OK();
    }
    bool closed() const override { return isClosed_; }
    arrow::Result<int64_t> Tell() const override { return written_; }
    arrow::Status Write(const void* bytes, int64_t count) override {
        ARROW_RETURN_NOT_OK(statusOf([&] {
            file_->append({static_cast<const char*>(bytes), static_cast<size_t>(count)});
        }));
        written_ += count;
        return arrow::Status::OK();
    }

private:
    const std::shared_ptr<File> file_;
    int64_t written_ = 0;
    bool isClosed_ = false;
};

}  // namespace

arrow::Status ChargedPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
    if (!host_.charge(size)) return arrow::Status::OutOfMemory("the memory limit refuses ", size, " bytes");
    const arrow::Status status = base_->Allocate(size, alignment, out);
    if (!status.ok()) {
        host_.discharge(size);
        return status;
    }
    inUse_ += size;
    return status;
}

arrow::Status ChargedPool::Reallocate(int64_t oldSize, int64_t newSize, int64_t alignment, uint8_t** pointer) {
    const int64_t more = newSize - oldSize;
    if (more > 0 && !host_.charge(more))
        return arrow::Status::OutOfMemory("the memory limit refuses ", more, " more bytes");
    const arrow::Status status = base_->Reallocate(oldSize, newSize, alignment, pointer);
    if (!status.ok()) {
        if (more > 0) host_.discharge(more);
        return status;
    }
    if (more < 0) host_.discharge(-more);
    inUse_ += more;
    return status;
}

void ChargedPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
    base_->Free(buffer, size, alignment);
    host_.discharge(size);
    inUse_ -= size;
}

std::shared_ptr<arrow::io::RandomAccessFile> readable(std::shared_ptr<File> file, arrow::MemoryPool& pool) {
    return std::make_shared<ReadableFile>(std::move(file), pool);
}

std::shared_ptr<arrow::io::OutputStream> writable(std::shared_ptr<File> file) {
    return std::make_shared<WritableFile>(std::move(file));
}

}  // namespace pelorus::parquet_file
