// Tables in plain folders, one file each, as saveTable writes them.
#pragma once

#include <string>

#include "runtime/table/table.h"

namespace pelorus {

class UserFiles;

// Whether a database's path is that of a folder: it has a slash and no scheme such as "dfs://".
bool isFolderPath(const std::string& path);
bool folderHasTable(UserFiles& files, const std::string& folder, const std::string& name);
// Throws UserError when the folder has no such table.
Ref<MemoryTable> loadFolderTable(UserFiles& files, const std::string& folder, const std::string& name);
void dropFolderTable(UserFiles& files, const std::string& folder, const std::string& name);

// Makes a table that several sessions may change concurrently: its calls take turns, and readers keep their snapshot.
Ref<MemoryTable> multiVersion(Ref<MemoryTable> table);

}  // namespace pelorus
