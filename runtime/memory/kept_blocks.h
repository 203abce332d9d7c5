// Freed memory blocks that stay charged, for the next request of about that size: a new block costs a page fault and
// the zeroing of every page, which takes as long as the computation that fills it.
//
// Thread-safe. Bounded; the block that was kept longest is evicted, so that unused sizes do not stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>

#include "common/thread/mutex.h"
#include "runtime/memory/budget.h"

namespace pelorus::memory {

class KeptBlocks {
public:
    KeptBlocks(size_t mostBytes, void (*giveBack)(char* block, size_t bytes));
    ~KeptBlocks();

    // Returns a block of `bytes` or up to an eighth more, whose size is then in `bytes`; nullptr when there is none.
    char* take(size_t& bytes);
    // Keeps a freed block. Returns false when the memory limit is near, or the block is larger than all that may be
    // kept.
    bool keep(char* block, size_t bytes) noexcept;
    void clear();
    // Frees what was kept before the last call of this function, and not taken since.
    void clearUnused();
    int64_t keptBytes() const;

private:
    struct Kept;
    using BySize = std::multimap<size_t, std::list<Kept>::iterator>;
    struct Kept {
        char* block;
        size_t bytes;
        uint64_t look;  // the number of calls of clearUnused before
        BySize::iterator place;
    };

    void free(const std::list<Kept>& blocks) const;

    mutable Mutex mutex_;
    std::list<Kept> byAge_ GUARDED_BY(mutex_);  // the longest kept first
    BySize bySize_ GUARDED_BY(mutex_);
    size_t kept_ GUARDED_BY(mutex_) = 0;
    uint64_t looks_ GUARDED_BY(mutex_) = 0;
    const size_t mostBytes_;
    void (*const giveBack_)(char* block, size_t bytes);
    const Cache cache_;
};

// Returns memory that was unused for some seconds to the system: kept blocks, and memory of ended threads in the heaps
// of the system's allocator. A serving process calls it every two seconds; it takes at most a fiftieth of the time.
void giveBackUnused();

// Constants that vectors and large objects of `new` share for blocks that std::free takes.
constexpr size_t kHugePageBytes = size_t{2} << 20;
constexpr size_t kLargeBlockBytes = 2 * kHugePageBytes;
KeptBlocks& keptLargeBlocks();

// Allocates memory aligned to a huge page, and made of huge pages where the system has some; returns nullptr when it
// refuses.
char* newLargeBlock(size_t bytes);

}  // namespace pelorus::memory
