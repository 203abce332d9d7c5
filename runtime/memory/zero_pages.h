// Zeroed memory straight from the system: pages are allocated on first touch, and can be freed one by one.
//
// Used for large per-thread or per-session reservations of which little is mostly used. Not counted against maxMemSize.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "common/error.h"

namespace pelorus::memory {

class ZeroPages {
public:
    // Throws SystemError when the system has no such range of addresses.
    explicit ZeroPages(size_t sizeBytes)
        : sizeBytes_(sizeBytes),
          data_(
              ::mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (data_ == MAP_FAILED) throw SystemError("The system has no memory for another thread or session.", "", true);
        ::madvise(data_, sizeBytes_, MADV_NOHUGEPAGE);  // one touched byte would take 2 MB
    }
    ~ZeroPages() { ::munmap(data_, sizeBytes_); }
    ZeroPages(const ZeroPages&) = delete;
    ZeroPages& operator=(const ZeroPages&) = delete;

    void* data() const { return data_; }
    // Zeroes and frees the pages that are wholly after the first `keptBytes`.
    void forgetBehind(size_t keptBytes) {
        constexpr size_t kPage = 4096;
        const size_t begin = (keptBytes + kPage - 1) / kPage * kPage;
        if (begin < sizeBytes_) ::madvise(static_cast<char*>(data_) + begin, sizeBytes_ - begin, MADV_DONTNEED);
    }

private:
    const size_t sizeBytes_;
    void* const data_;
};

}  // namespace pelorus::memory
