#include "runtime/memory/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "common/error.h"
#include "runtime/memory/budget.h"

namespace pelorus {

namespace {

// Room behind the last item, so that a kernel may load a whole register there.
constexpr size_t kPaddingBytes = 64;
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kLargeBytes = 2 * kHugePage;
constexpr size_t kMostKeptBytes = size_t{256} << 20;

size_t roundedTo(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Large blocks that were freed, for the next vector of about that size: a new block costs a page fault and the zeroing
// of every page, which takes as long as the computation that fills it. Thread-safe.
class KeptBlocks {
public:
    // A block of `bytes` or a little more, whose size is then in `bytes`; nullptr when there is none.
    char* take(size_t& bytes) {
        std::lock_guard lock(mutex_);
        auto it = blocks_.lower_bound(bytes);
        if (it == blocks_.end() || it->first > bytes + bytes / 8) return nullptr;
        char* block = it->second;
        bytes = it->first;
        kept_ -= bytes;
        blocks_.erase(it);
        return block;
    }

    // False when it has enough of them.
    bool keep(char* block, size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
        (void)block, (void)bytes;
        return false;  // a block that is used after it was freed must be noticed
#else
        const int64_t limit = memory::limitBytes();
        const size_t most = limit > 0 ? std::min(kMostKeptBytes, static_cast<size_t>(limit) / 16) : kMostKeptBytes;
        std::lock_guard lock(mutex_);
        if (kept_ + bytes > most) return false;
        blocks_.emplace(bytes, block);
        kept_ += bytes;
        return true;
#endif
    }

    void clear() {
        std::lock_guard lock(mutex_);
        for (const auto& [bytes, block] : blocks_) std::free(block);
        blocks_.clear();
        kept_ = 0;
    }

private:
    std::mutex mutex_;
    std::multimap<size_t, char*> blocks_;  // by size
    size_t kept_ = 0;
};

KeptBlocks& keptBlocks() {
    static KeptBlocks* blocks = new KeptBlocks;  // vectors may be freed while the process ends
    return *blocks;
}

char* allocate(size_t& bytes) {
    if (bytes < kLargeBytes) {
        bytes = roundedTo(bytes, 64);
        return static_cast<char*>(std::aligned_alloc(64, bytes));
    }
    bytes = roundedTo(bytes, kHugePage);
    if (char* block = keptBlocks().take(bytes)) return block;
    void* block = std::aligned_alloc(kHugePage, bytes);
    if (!block) {
        keptBlocks().clear();
        block = std::aligned_alloc(kHugePage, bytes);
    }
    if (block) ::madvise(block, bytes, MADV_HUGEPAGE);
    return static_cast<char*>(block);
}

}  // namespace

Buffer::Buffer(size_t sizeBytes) : sizeBytes_(sizeBytes), allocatedBytes_(sizeBytes + kPaddingBytes) {
    memory::charge(static_cast<int64_t>(sizeBytes));
    begin_ = allocate(allocatedBytes_);
    if (!begin_) {
        memory::discharge(static_cast<int64_t>(sizeBytes));
        throw SystemError(fmt::format("Out of memory: the system refused {:.1f} MB.", sizeBytes / 1048576.0),
                          "Work on fewer rows or columns at once.");
    }
}

Buffer::~Buffer() {
    bool kept = allocatedBytes_ >= kLargeBytes && keptBlocks().keep(begin_, allocatedBytes_);
    if (!kept) std::free(begin_);
    memory::discharge(static_cast<int64_t>(sizeBytes_));
}

}  // namespace pelorus
