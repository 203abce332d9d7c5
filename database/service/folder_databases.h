// Partitioned databases in plain folders: database("/data/ticks", VALUE, 1..3). G08.
//
// Each has a separate storage in the folder's "partitioned.pelorus", opened and locked at first use and until the
// process ends or the database is dropped. On a cluster they belong to the one node, like everything in plain folders.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "common/thread/mutex.h"

namespace pelorus {

class DatabaseService;
class UserFiles;

// Thread-safe.
class FolderDatabases {
public:
    FolderDatabases();
    ~FolderDatabases();

    // Returns one name per folder, however it is written: the absolute path.
    static std::string nameOf(const std::string& folder);
    // Whether the folder has a partitioned database.
    static bool has(UserFiles& files, const std::string& folder);

    // Returns the service of the folder's database, which is made when there is none. Its files are opened as those of
    // the user who opens it first. Throws UserError when too many are open.
    DatabaseService& open(UserFiles& files, const std::string& folder);
    // Removes the storage of a database that is no longer in its catalog; other files of the folder stay, and so does
    // the folder unless it is empty.
    void drop(UserFiles& files, const std::string& folder);

private:
    Mutex mutex_;
    std::map<std::string, std::unique_ptr<DatabaseService>> open_ GUARDED_BY(mutex_);  // by name
};

}  // namespace pelorus
