#include "runtime/memory/block_slabs.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "common/check.h"
#include "common/thread/mutex.h"

namespace pelorus::memory {

namespace {

constexpr size_t kPage = size_t{4} << 10;
constexpr size_t kSlabBytes = size_t{8} << 20;
constexpr size_t kSmallest = size_t{128} << 10, kLargest = size_t{2} << 20;

// Header of a slab, at the start of its memory, which is aligned to its size; blocks follow, from the second page on.
struct Slab {
    uint64_t freeBlocks;  // a bit for each
    Slab* next;           // next one of the slabs with free blocks
    Slab* previous;
};

char* mapAligned() {
    void* mapped = ::mmap(nullptr, 2 * kSlabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    char* const begin = static_cast<char*>(mapped);
    const size_t ahead = (kSlabBytes - reinterpret_cast<uintptr_t>(begin) % kSlabBytes) % kSlabBytes;
    if (ahead > 0) ::munmap(begin, ahead);
    ::munmap(begin + ahead + kSlabBytes, kSlabBytes - ahead);
    ::madvise(begin + ahead, kSlabBytes, MADV_HUGEPAGE);
    return begin + ahead;
}

class SlabsOfOneSize {
public:
    void setBlockBytes(size_t bytes) { blockBytes_ = bytes; }

    char* take() {
        const MutexLock guard(mutex_);
        if (!open_) {
            char* const memory = mapAligned();
            if (!memory) return nullptr;
            link(new (memory) Slab{allFree(), nullptr, nullptr});
        }
        CHECK(open_->freeBlocks != 0) << "an open slab has a free block";
        const int number = std::countr_zero(open_->freeBlocks);
        Slab* const slab = open_;
        slab->freeBlocks &= slab->freeBlocks - 1;
        if (slab->freeBlocks == 0) unlink(slab);
        return reinterpret_cast<char*>(slab) + kPage + static_cast<size_t>(number) * blockBytes_;
    }

    void give(char* block) noexcept {
        const size_t offset = reinterpret_cast<uintptr_t>(block) % kSlabBytes;
        auto* const slab = reinterpret_cast<Slab*>(block - offset);
        CHECK_FATAL(offset >= kPage && (offset - kPage) % blockBytes_ == 0)
            << "a block begins at its place in the slab";
        const uint64_t bit = uint64_t{1} << ((offset - kPage) / blockBytes_);
        const MutexLock guard(mutex_);
        CHECK_FATAL((slab->freeBlocks & bit) == 0) << "a block is freed once";
        if (slab->freeBlocks == 0) link(slab);
        slab->freeBlocks |= bit;
        if (slab->freeBlocks != allFree()) return;
        // One free slab stays: a scan takes and frees the blocks it is at.
        Slab* const dropped = std::exchange(empty_, slab);
        if (!dropped || dropped == slab || dropped->freeBlocks != allFree()) return;
        unlink(dropped);
        ::munmap(dropped, kSlabBytes);
    }

private:
    uint64_t allFree() const { return (uint64_t{1} << (kSlabBytes - kPage) / blockBytes_) - 1; }

    void link(Slab* slab) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        slab->previous = nullptr;
        slab->next = open_;
        if (open_) open_->previous = slab;
        open_ = slab;
    }
    void unlink(Slab* slab) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        (slab->previous ? slab->previous->next : open_) = slab->next;
        if (slab->next) slab->next->previous = slab->previous;
    }

    Mutex mutex_;  // also guards the contents of slabs
    // List of the slabs with free blocks.
    Slab* open_ GUARDED_BY(mutex_) PT_GUARDED_BY(mutex_) = nullptr;
    // The last slab whose blocks all became free, which may have changed since.
    Slab* empty_ GUARDED_BY(mutex_) = nullptr;
    size_t blockBytes_ = 0;  // set before anyone takes a block
};

constexpr size_t kSizes = std::bit_width(kLargest / kSmallest);

SlabsOfOneSize& slabsOf(size_t bytes) {
    // Never deleted: vectors may be freed while the process ends.
    static auto* all = [] {
        auto* sizes = new std::array<SlabsOfOneSize, kSizes>;
        for (size_t i = 0; i < kSizes; ++i) (*sizes)[i].setBlockBytes((kSmallest << i) + kPage);
        return sizes;
    }();
    return (*all)[std::bit_width((bytes - kPage) / kSmallest) - 1];
}

}  // namespace

bool isSlabSize(size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    (void)bytes;
    return false;  // a block that is used after it was freed must be noticed
#else
    return bytes >= kSmallest + kPage && bytes <= kLargest + kPage && std::has_single_bit(bytes - kPage);
#endif
}

char* takeSlabBlock(size_t bytes) {
    return slabsOf(bytes).take();
}

void giveSlabBlock(char* block, size_t bytes) noexcept {
    slabsOf(bytes).give(block);
}

}  // namespace pelorus::memory
