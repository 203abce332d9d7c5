// Rows on their way into a chunk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/table/table.h"

namespace pelorus {

// Rows for one chunk, which is made when it does not exist. The columns are those of the table.
struct ChunkRows {
    uint64_t table = 0;
    std::string path;
    std::vector<int> index;
    Ref<MemoryTable> rows;
    // In a cluster, the revision at which the chunk was placed here: a chunk that is dropped and made again has a
    // larger one. 0: none.
    uint64_t route = 0;
};

}  // namespace pelorus
