#include "database/service/folder_databases.h"

#include "common/error.h"
#include "common/io/user_files.h"
#include "common/thread/mutex.h"
#include "database/service/database_service.h"

namespace pelorus {

// The number is bounded since each database has a separate log, thread and caches.
static constexpr size_t kMaxOpen = 64;
static constexpr int64_t kCacheBytes = 64 << 20;

static std::string storeOf(const std::string& folder) {
    return joinPath(folder, "partitioned.pelorus");
}

FolderDatabases::FolderDatabases() = default;
FolderDatabases::~FolderDatabases() = default;

std::string FolderDatabases::nameOf(const std::string& folder) {
    return absolutePath(folder);
}

bool FolderDatabases::has(UserFiles& files, const std::string& folder) {
    return files.isFolder(joinPath(storeOf(folder), "wal"));
}

DatabaseService& FolderDatabases::open(UserFiles& files, const std::string& folder) {
    const MutexLock guard(mutex_);
    const std::string name = nameOf(folder);
    if (const auto known = open_.find(name); known != open_.end()) return *known->second;
    if (open_.size() >= kMaxOpen) {
        throw UserError("There are " + std::to_string(kMaxOpen) + " partitioned databases of plain folders open.",
                        "Drop one, restart, or keep them as \"dfs://\" databases.");
    }
    files.makeFolder(name);
    LocalDatabaseService::Options options;
    options.folder = storeOf(name);
    options.files = files.shared_from_this();
    options.storage.blockCacheBytes = kCacheBytes;
    options.storage.writeCacheBytes = kCacheBytes;
    return *(open_[name] = std::make_unique<LocalDatabaseService>(std::move(options)));
}

void FolderDatabases::drop(UserFiles& files, const std::string& folder) {
    const MutexLock guard(mutex_);
    const std::string name = nameOf(folder);
    // Remaining readers keep its files open.
    open_.erase(name);
    files.removeAll(storeOf(name), false);
    if (files.list(name).empty()) files.remove(name);
}

}  // namespace pelorus
