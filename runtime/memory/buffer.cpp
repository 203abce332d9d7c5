#include "runtime/memory/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/memory/block_ranges.h"
#include "runtime/memory/block_slabs.h"
#include "runtime/memory/budget.h"
#include "runtime/memory/kept_blocks.h"

namespace pelorus {

namespace {

// Padding after the last element, so that a kernel may load a whole register there.
constexpr size_t kPaddingBytes = 64;
constexpr size_t kMediumBytes = size_t{32} << 10;
constexpr size_t kMediumUnit = size_t{4} << 10;

size_t roundedTo(size_t bytes, size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

// Allocates from the system; returns nullptr when it refuses.
char* obtain(size_t bytes) {
    if (memory::isSlabSize(bytes)) return memory::takeSlabBlock(bytes);
    if (bytes >= memory::kLargeBlockBytes) return memory::newLargeBlock(bytes);
    return static_cast<char*>(std::aligned_alloc(64, bytes));
}

void giveBack(char* block, size_t bytes) {
    if (memory::isSlabSize(bytes)) {
        memory::giveSlabBlock(block, bytes);
    } else {
        std::free(block);
    }
}

// Medium blocks are kept apart from large ones, since queries allocate and free medium ones, a block of a column each,
// all the time.
memory::KeptBlocks& keptBlocks(size_t bytes) {
    // Never deleted: vectors may be freed while the process ends.
    static auto* medium = new memory::KeptBlocks(size_t{256} << 20, giveBack);
    return bytes >= memory::kLargeBlockBytes ? memory::keptLargeBlocks() : *medium;
}

// Small blocks that a thread freed, for its next ones: calls of functions on windows and single elements make and free
// a few of them each, and asking the system's allocator for aligned ones costs more than the work. They are not
// charged.
class SmallBlocks {
public:
    static constexpr size_t kMaxBytes = 1024;

    static char* take(size_t bytes) {
        Stack& stack = stacks[bytes / kUnit - 1];
        return stack.count > 0 ? stack.blocks[--stack.count] : nullptr;
    }
    static bool keep(char* block, size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
        (void)block, (void)bytes;
        return false;  // a block that is used after it was freed must be noticed
#else
        Stack& stack = stacks[bytes / kUnit - 1];
        if (isOver || stack.count == kEach) return false;
        cleaner.touch();
        stack.blocks[stack.count++] = block;
        return true;
#endif
    }

private:
    static constexpr size_t kUnit = 64;
    static constexpr uint8_t kEach = 8;
    struct Stack {
        char* blocks[kEach];
        uint8_t count;
    };
    // Frees a thread's kept blocks when it ends; vectors freed later return their blocks to the system's allocator.
    struct Cleaner {
        void touch() {}
        ~Cleaner() {
            isOver = true;
            for (Stack& stack : stacks) {
                while (stack.count > 0) std::free(stack.blocks[--stack.count]);
            }
        }
    };

    static thread_local constinit Stack stacks[kMaxBytes / kUnit];
    static thread_local constinit bool isOver;
    static thread_local Cleaner cleaner;
};
thread_local constinit SmallBlocks::Stack SmallBlocks::stacks[kMaxBytes / kUnit] = {};
thread_local constinit bool SmallBlocks::isOver = false;
thread_local SmallBlocks::Cleaner SmallBlocks::cleaner;

// Allocates a block, which stays charged until freeBlock. Throws OutOfMemory, and UserError for a large one when the
// request was cancelled: kernels allocate their results before they begin.
char* allocate(size_t& bytes) {
    if (static_cast<int64_t>(bytes) >= memory::kLargeBytes) checkCancelled();
    const bool isLarge = bytes >= memory::kLargeBlockBytes;
    const bool mayBeKept = bytes >= kMediumBytes;
    bytes = roundedTo(bytes, isLarge ? memory::kHugePageBytes : mayBeKept ? kMediumUnit : 64);
    if (mayBeKept) {
        if (char* block = keptBlocks(bytes).take(bytes)) return block;
    }
    if (static_cast<int64_t>(bytes) < memory::kLargeBytes) {
        memory::askForSmall(static_cast<int64_t>(bytes));
        memory::note(static_cast<int64_t>(bytes));
        if (bytes <= SmallBlocks::kMaxBytes) {
            if (char* block = SmallBlocks::take(bytes)) return block;
        }
    } else {
        memory::charge(static_cast<int64_t>(bytes));
    }
    char* block = obtain(bytes);
    // The system may have less memory than the limit: caches are shrunk then, too.
    for (int64_t part = 16; !block && mayBeKept && part >= 1; part /= 4) {
        memory::shrinkCaches(static_cast<int64_t>(bytes) + memory::limitBytes() / part);
        block = obtain(bytes);
    }
    if (!block) {
        memory::discharge(static_cast<int64_t>(bytes));
        throw memory::OutOfMemory(fmt::format("Out of memory: the system refused {:.1f} MB.", bytes / 1048576.0),
                                  "Work on fewer rows or columns at once.");
    }
    return block;
}

void freeBlock(char* block, size_t bytes) {
    if (bytes >= kMediumBytes && keptBlocks(bytes).keep(block, bytes)) return;
    memory::note(-static_cast<int64_t>(bytes));
    if (bytes <= SmallBlocks::kMaxBytes && SmallBlocks::keep(block, bytes)) return;
    giveBack(block, bytes);
}

}  // namespace

Buffer::Buffer(size_t sizeBytes) : sizeBytes_(sizeBytes), allocatedBytes_(sizeBytes + kPaddingBytes) {
    begin_ = allocate(allocatedBytes_);
}

Buffer::~Buffer() {
    forgetRanges();
    freeBlock(begin_, allocatedBytes_);
}

BlockRanges& Buffer::ranges(size_t blocks) const {
    BlockRanges* known = ranges_.load(std::memory_order_acquire);
    if (known) return *known;
    auto made = std::make_unique<BlockRanges>(blocks);
    return ranges_.compare_exchange_strong(known, made.get()) ? *made.release() : *known;
}

void Buffer::dropRanges() {
    delete ranges_.exchange(nullptr);
}

}  // namespace pelorus
