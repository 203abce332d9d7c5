// Writes and reads a table in a separate file, for tables in plain folders: one segment, and at the end the number of
// its rows. Bytes: docs/formats/segment.md.
#pragma once

#include <string>

#include "common/io/file.h"
#include "runtime/table/table.h"

namespace pelorus {

// Writes the table to a file, which is replaced atomically. Throws UserError for a column of a type that cannot be
// stored, SystemError when the disk refuses.
void writeTableFile(FileSystem& files, const std::string& path, const MemoryTable& rows);
// Returns the table of a file. Throws SystemError when it is damaged.
Ref<MemoryTable> readTableFile(FileSystem& files, const std::string& path);

}  // namespace pelorus
