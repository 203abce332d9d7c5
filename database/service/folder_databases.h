// FolderDatabases opens partitioned databases in plain folders: database("/data/ticks", VALUE, 1..3).
//
// Each has a separate storage in the folder's "partitioned.pelorus", which is opened and locked from the first use
// until the process ends or the database is dropped. On a cluster they belong to the node of the folder, like all plain
// folders.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/thread/mutex.h"

namespace pelorus {

class DatabaseService;
class UserFiles;

// The open databases of plain folders of a process, at most 64. Thread-safe.
class FolderDatabases {
public:
    FolderDatabases();
    ~FolderDatabases();

    // Returns the one name of a folder, however its path is written: the absolute path.
    static std::string nameOf(const std::string& folder);
    // Returns whether the folder has a partitioned database.
    static bool has(UserFiles& files, const std::string& folder);

    // Returns the service of the folder's database, and creates the database when there is none. Its files are opened
    // with the rights of the user who opens it first. The service lives until `drop`. Throws UserError when too many
    // are open.
    DatabaseService& open(UserFiles& files, const std::string& folder);
    // Closes the service and removes the storage of a database that was dropped from its catalog. Other files of the
    // folder remain, and so does the folder unless it is empty.
    void drop(UserFiles& files, const std::string& folder);

private:
    Mutex mutex_;
    std::map<std::string, std::unique_ptr<DatabaseService>> open_ GUARDED_BY(mutex_);  // services by name of the folder
};

}  // namespace pelorus
