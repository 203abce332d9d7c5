#include "runtime/memory/allocator.h"

#include <malloc.h>

#include <algorithm>

#include "runtime/memory/budget.h"

namespace pelorus::memory {

void keepFreedMemory() {
    const int64_t limit = limitBytes();
    const auto most = [&](int64_t bytes) { return static_cast<int>(limit > 0 ? std::min(bytes, limit / 32) : bytes); };
    ::mallopt(M_MMAP_THRESHOLD, most(32 << 20));  // 32 MB is the largest that the allocator takes
    ::mallopt(M_TRIM_THRESHOLD, most(256 << 20));
    ::mallopt(M_TOP_PAD, most(16 << 20));
}

}  // namespace pelorus::memory
