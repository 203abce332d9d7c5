// Codec of table rows for the log and checkpoints: fast to write, self-contained (SYMBOL as strings).
#pragma once

#include <string>

#include "common/io/bytes.h"
#include "runtime/table/table.h"

namespace pelorus {

// Throws UserError for a column of a type that cannot be stored.
void encodeRows(const MemoryTable& rows, std::string& bytes);
// Throws SystemError when the bytes are damaged.
Ref<MemoryTable> decodeRows(ByteReader& reader);

void encodeSchema(const TableSchema& schema, std::string& bytes);
TableSchema decodeSchema(ByteReader& reader);

// True when a partitioned table can have columns of this type.
bool isStorable(Type type);

}  // namespace pelorus
