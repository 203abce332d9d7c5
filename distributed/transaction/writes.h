// What a transaction writes, and the message by which nodes send it to each other.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/meta_store.h"
#include "distributed/metadata/placed_chunk.h"
#include "runtime/value/value.h"
#include "storage/version/chunk_rows.h"

namespace pelorus {

struct Writes {
    std::vector<ChunkRows> chunks;
    std::vector<PlacedChunk> places;           // of the chunks, as the coordinator knows them; not sent
    std::map<uint64_t, MetaCondition> tables;  // the entries by which the rows are bound, by table
    uint64_t query = 0;                        // whose snapshot showed what is replaced

    std::vector<MetaCondition> conditions() const;
    bool replacesRows() const;
};

// With the chunks that `isWanted`, by their places in the list.
Value writesToValue(const Writes& writes, const std::vector<bool>& isWanted);
// Throws UserError when the value is no such message.
Writes writesFromValue(const Value& value);

}  // namespace pelorus
