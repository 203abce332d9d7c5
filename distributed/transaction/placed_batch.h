// Batches of rows with the places of their chunks, and the message by which nodes send batches to each other.
#pragma once

#include <vector>

#include "distributed/metadata/placed_chunk.h"
#include "runtime/value/value.h"
#include "storage/commit/write_batch.h"

namespace pelorus {

// A batch whose rows the coordinator has placed. A plain value.
struct PlacedBatch : WriteBatch {
    std::vector<PlacedChunk> places;  // places of `chunks`, one each, as the coordinator knows them; not sent
};

// Returns the message with those chunks of the batch for which `isWanted`, at the same position, is true.
Value batchToValue(const WriteBatch& batch, const std::vector<bool>& isWanted);
// Returns the batch of a message. Throws UserError when the value is no such message.
WriteBatch batchFromValue(const Value& value);

}  // namespace pelorus
