// A table in a separate file, for tables in plain folders: one segment, and at the end its rows. Bytes:
// docs/formats/segment.md.
#pragma once

#include <string>

#include "common/io/file.h"
#include "runtime/table/table.h"

namespace pelorus {

// The file is replaced as a whole. Throws UserError for a column of a type that cannot be stored.
void writeTableFile(FileSystem& files, const std::string& path, const MemoryTable& rows);
// Throws SystemError when the file is damaged.
Ref<MemoryTable> readTableFile(FileSystem& files, const std::string& path);

}  // namespace pelorus
