// Rows for chunks as a value that nodes send to each other: a tuple of (table id, path, index, rows) per chunk.
#pragma once

#include <vector>

#include "runtime/value/value.h"
#include "storage/version/chunk_rows.h"

namespace pelorus {

Value chunksToValue(const std::vector<ChunkRows>& chunks);
// Throws UserError when the value is none of these.
std::vector<ChunkRows> chunksFromValue(const Value& value);

}  // namespace pelorus
