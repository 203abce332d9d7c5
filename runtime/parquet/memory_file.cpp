#include "runtime/parquet/memory_file.h"

#include <algorithm>
#include <cstring>

#include "common/check.h"

namespace pelorus {

void MemoryFile::overwrite(int64_t offset, std::string_view bytes) {
    CHECK(offset >= 0 && offset + static_cast<int64_t>(bytes.size()) <= size())
        << "only existing bytes are overwritten";
    bytes_.replace(static_cast<size_t>(offset), bytes.size(), bytes);
}

size_t MemoryFile::readAt(int64_t offset, void* target, size_t sizeBytes) const {
    if (offset < 0 || offset >= size()) return 0;
    const size_t count = std::min(sizeBytes, bytes_.size() - static_cast<size_t>(offset));
    std::memcpy(target, bytes_.data() + offset, count);
    return count;
}

}  // namespace pelorus
