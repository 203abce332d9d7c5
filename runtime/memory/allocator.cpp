#include "runtime/memory/allocator.h"

#include <malloc.h>

namespace pelorus::memory {

void keepFreedMemory() {
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest that the allocator takes
    ::mallopt(M_TRIM_THRESHOLD, 256 << 20);
    ::mallopt(M_TOP_PAD, 16 << 20);
}

}  // namespace pelorus::memory
