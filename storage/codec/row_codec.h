// Encodes table rows for the log and checkpoints: fast to write, and self-contained (SYMBOL as strings).
#pragma once

#include <string>

#include "common/io/bytes.h"
#include "runtime/table/table.h"

namespace pelorus {

// Appends the encoded rows. Throws UserError for a column of a type that cannot be stored.
void encodeRows(const MemoryTable& rows, std::string& bytes);
// Returns the next rows of the reader. Throws SystemError when the bytes are damaged.
Ref<MemoryTable> decodeRows(ByteReader& reader);

// Appends the encoded schema; decodeSchema returns the next one of the reader.
void encodeSchema(const TableSchema& schema, std::string& bytes);
TableSchema decodeSchema(ByteReader& reader);

// Returns whether a partitioned table can have columns of this type.
bool isStorable(Type type);

}  // namespace pelorus
