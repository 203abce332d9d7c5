// The rows of one transaction on their way from a statement to the log.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "common/meta_store.h"
#include "runtime/table/table.h"

namespace pelorus {

// The rows of a batch for one chunk, which is made when it does not exist. The columns are those of the table.
struct ChunkRows {
    uint64_t table = 0;
    std::string path;
    std::vector<int> index;
    Ref<MemoryTable> rows;
    // The rows that the new ones replace. Sent between nodes: never change.
    enum class Replaces : uint8_t {
        Nothing = 0,  // no rows: the new ones are added
        Seen = 1,     // the rows that a snapshot showed: those that were added since stay, after the new ones
        All = 2,      // all rows of the chunk
    };
    Replaces replaces = Replaces::Nothing;
    int64_t seenRows = 0;    // with Seen: the number of rows that the snapshot showed
    uint64_t seenAt = 0;     // with Seen: the number of the snapshot here; 0: there is none, and nothing is compared
    uint64_t changedAt = 0;  // in a copy of another node's chunk: number of its last change there; 0: it is no copy
};

// A batch of rows that one transaction adds to chunks or puts in the place of rows there. A plain value; the rows are
// shared, not copied.
struct WriteBatch {
    WriteBatch() = default;
    WriteBatch(std::vector<ChunkRows> chunks) : chunks(std::move(chunks)) {}
    WriteBatch(std::initializer_list<ChunkRows> chunks) : chunks(chunks) {}

    std::vector<ChunkRows> chunks;
    std::map<uint64_t, MetaCondition> tables;  // in a cluster: the entries by which the rows are bound, by table
    uint64_t query = 0;                        // in a cluster: the query whose snapshot showed the replaced rows

    // Returns whether a chunk's rows take the place of others.
    bool replacesRows() const;
    // Returns the conditions under which the batch may be committed: that its tables have the entries of `tables`.
    std::vector<MetaCondition> conditions() const;
};

}  // namespace pelorus
