// Our files and memory as Arrow C++ sees them.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>

#include <atomic>
#include <memory>

#include "runtime/parquet/parquet_library.h"

namespace pelorus::parquet_file {

// A memory pool that charges the process's budget for what the standard pool allocates. Thread-safe.
class ChargedPool final : public arrow::MemoryPool {
public:
    explicit ChargedPool(ParquetHost& host) : host_(host) {}

    arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
    arrow::Status Reallocate(int64_t oldSize, int64_t newSize, int64_t alignment, uint8_t** pointer) override;
    void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;
    int64_t bytes_allocated() const override { return inUse_; }
    int64_t total_bytes_allocated() const override { return base_->total_bytes_allocated(); }
    int64_t num_allocations() const override { return base_->num_allocations(); }
    std::string backend_name() const override { return base_->backend_name(); }

private:
    ParquetHost& host_;
    arrow::MemoryPool* const base_ = arrow::default_memory_pool();
    std::atomic<int64_t> inUse_{0};
};

// Returns the file as one that Arrow C++ reads at any place. Errors of ours become its statuses.
std::shared_ptr<arrow::io::RandomAccessFile> readable(std::shared_ptr<File> file, arrow::MemoryPool& pool);
// Returns the file as one that Arrow C++ appends to.
std::shared_ptr<arrow::io::OutputStream> writable(std::shared_ptr<File> file);

// Calls f and turns whatever it throws into ParquetHost::fail, which throws our error.
template <class F>
auto guarded(ParquetHost& host, F&& f) -> decltype(f()) {
    std::string message;
    try {
        return f();
    } catch (const std::exception& e) {
        message = e.what();
    }
    host.fail(message);
    __builtin_unreachable();
}

}  // namespace pelorus::parquet_file
