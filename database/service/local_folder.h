// Reads and drops tables in plain folders, one file each, which saveTable writes.
#pragma once

#include <string>

#include "runtime/table/table.h"

namespace pelorus {

class UserFiles;

// Returns whether a database's path is that of a folder: it has a slash and no scheme such as "dfs://".
bool isFolderPath(const std::string& path);
bool folderHasTable(UserFiles& files, const std::string& folder, const std::string& name);
// Throws UserError when the folder has no such table.
Ref<MemoryTable> loadFolderTable(UserFiles& files, const std::string& folder, const std::string& name);
void dropFolderTable(UserFiles& files, const std::string& folder, const std::string& name);

// Returns a table with these rows that several sessions may change concurrently: its calls are serialized, and readers
// keep their snapshot.
Ref<MemoryTable> multiVersion(Ref<MemoryTable> table);

}  // namespace pelorus
