#include "runtime/memory/buffer.h"

#include <fmt/format.h>

#include <cstdlib>

#include "common/error.h"
#include "runtime/memory/budget.h"

namespace pelorus {

// Room behind the last item, so that a kernel may load a whole register there.
constexpr size_t kPaddingBytes = 64;

Buffer::Buffer(size_t sizeBytes) : sizeBytes_(sizeBytes) {
    memory::charge(static_cast<int64_t>(sizeBytes));
    size_t rounded = (sizeBytes + kPaddingBytes + 63) / 64 * 64;
    begin_ = static_cast<char*>(std::aligned_alloc(64, rounded));
    if (!begin_) {
        memory::discharge(static_cast<int64_t>(sizeBytes));
        throw SystemError(fmt::format("Out of memory: the system refused {:.1f} MB.", sizeBytes / 1048576.0),
                          "Work on fewer rows or columns at once.");
    }
}

Buffer::~Buffer() {
    std::free(begin_);
    memory::discharge(static_cast<int64_t>(sizeBytes_));
}

}  // namespace pelorus
