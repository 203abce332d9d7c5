// `new` and `delete` of the whole process, counted against the memory limit: tables of groups, tuples, dictionaries,
// strings and everything that a library allocates need no separate accounting.
#include <fmt/format.h>
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "runtime/memory/budget.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/kept_blocks.h"

namespace {

// The size from which on the system's allocator would map each block separately and unmap it when it is freed: such
// blocks are kept, with those of vectors.
constexpr size_t kMappedBytes = size_t{32} << 20;

template <class Allocate>
void* counted(size_t sizeBytes, Allocate allocate) {
    namespace memory = pelorus::memory;
    const auto size = static_cast<int64_t>(sizeBytes);
    const int64_t charged = size >= memory::kLargeBytes ? size : 0;
    if (size < 0) throw std::bad_alloc();
    if (charged > 0) {
        if (!memory::Unrefused::holdsAll()) pelorus::checkCancelled();
        memory::charge(charged);
    } else {
        memory::askForSmall(size);
    }
    void* block = allocate();
    if (!block) {
        memory::discharge(charged);
        throw memory::OutOfMemory(
            fmt::format("Out of memory: the system refused {:.1f} MB.", static_cast<double>(size) / 1048576.0),
            "Work on fewer rows or columns at once.");
    }
    memory::note(static_cast<int64_t>(::malloc_usable_size(block)) - charged);
    return block;
}

void* mapped(size_t sizeBytes) {
    namespace memory = pelorus::memory;
    if (!memory::Unrefused::holdsAll()) pelorus::checkCancelled();
    size_t charged = sizeBytes;
    if (char* kept = memory::keptLargeBlocks().take(charged)) {
        memory::note(static_cast<int64_t>(::malloc_usable_size(kept)) - static_cast<int64_t>(charged));
        return kept;
    }
    return counted(sizeBytes, [&] { return memory::newLargeBlock(sizeBytes); });
}

// Returns whether vectors can reuse the block, which they need aligned as newLargeBlock does.
bool mayBeKept(const void* block, size_t bytes) {
    return bytes >= kMappedBytes && reinterpret_cast<uintptr_t>(block) % pelorus::memory::kHugePageBytes == 0;
}

void freeCounted(void* block) noexcept {
    namespace memory = pelorus::memory;
    if (!block) return;
    const size_t bytes = ::malloc_usable_size(block);
    if (mayBeKept(block, bytes) && memory::keptLargeBlocks().keep(static_cast<char*>(block), bytes)) return;
    memory::note(-static_cast<int64_t>(bytes));
    std::free(block);
}

}  // namespace

void pelorus::memory::linkCountingHeap() {}

// The other forms call these two. All are defined here: a sanitizer's library would otherwise supply its own forms.
void* operator new(size_t sizeBytes) {
    if (sizeBytes >= kMappedBytes) return mapped(sizeBytes);
    return counted(sizeBytes, [&] { return std::malloc(sizeBytes == 0 ? 1 : sizeBytes); });
}

void* operator new(size_t sizeBytes, std::align_val_t alignment) {
    const auto unit = static_cast<size_t>(alignment);
    return counted(sizeBytes, [&] { return std::aligned_alloc(unit, (sizeBytes + unit - 1) / unit * unit); });
}

void operator delete(void* block) noexcept {
    freeCounted(block);
}

void operator delete(void* block, size_t) noexcept {
    freeCounted(block);
}

void operator delete(void* block, std::align_val_t) noexcept {
    freeCounted(block);
}

void operator delete(void* block, size_t, std::align_val_t) noexcept {
    freeCounted(block);
}

void* operator new[](size_t sizeBytes) {
    return ::operator new(sizeBytes);
}

void* operator new[](size_t sizeBytes, std::align_val_t alignment) {
    return ::operator new(sizeBytes, alignment);
}

void* operator new(size_t sizeBytes, const std::nothrow_t&) noexcept {
    try {
        return ::operator new(sizeBytes);
    } catch (...) {
        return nullptr;
    }
}

void* operator new[](size_t sizeBytes, const std::nothrow_t&) noexcept {
    return ::operator new(sizeBytes, std::nothrow);
}

void operator delete(void* block, const std::nothrow_t&) noexcept {
    freeCounted(block);
}

void operator delete[](void* block) noexcept {
    freeCounted(block);
}

void operator delete[](void* block, size_t) noexcept {
    freeCounted(block);
}

void operator delete[](void* block, std::align_val_t) noexcept {
    freeCounted(block);
}

void operator delete[](void* block, size_t, std::align_val_t) noexcept {
    freeCounted(block);
}

void operator delete[](void* block, const std::nothrow_t&) noexcept {
    freeCounted(block);
}
