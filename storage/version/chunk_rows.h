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
    // What the rows replace. Sent between nodes: never change.
    enum class Replaces : uint8_t {
        Nothing = 0,  // they are added
        Seen = 1,     // the rows that a snapshot showed: those that were added since stay, behind the new ones
        All = 2,
    };
    Replaces replaces = Replaces::Nothing;
    int64_t seenRows = 0;    // with Seen: how many there were,
    uint64_t seenAt = 0;     // and the number of the snapshot here; 0: there is none, and whoever saw them is right
    uint64_t changedAt = 0;  // of a copy of another node's chunk: number of its last change there; 0: it is none
};

}  // namespace pelorus
