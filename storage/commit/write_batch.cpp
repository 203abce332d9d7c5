#include "storage/commit/write_batch.h"

#include <algorithm>

namespace pelorus {

bool WriteBatch::replacesRows() const {
    return std::any_of(chunks.begin(), chunks.end(),
                       [](const ChunkRows& chunk) { return chunk.replaces != ChunkRows::Replaces::Nothing; });
}

std::vector<MetaCondition> WriteBatch::conditions() const {
    std::vector<MetaCondition> all;
    for (const auto& [table, entry] : tables) all.push_back(entry);
    return all;
}

}  // namespace pelorus
