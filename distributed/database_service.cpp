#include "distributed/database_service.h"

#include <set>

namespace pelorus {

// A table leaves the catalog before its rows go: after a crash in between they are still there, unseen.
static void removeForgottenRows(LocalStorage& storage) {
    std::set<uint64_t> known;
    for (const TableEntry& table : storage.catalog().allTables()) known.insert(table.id);
    for (const uint64_t table : storage.versions().tables()) {
        if (known.count(table) == 0) storage.removeRows(table);
    }
}

std::shared_ptr<LocalStorage> LocalDatabaseService::storage() {
    const std::lock_guard guard(mutex_);
    if (!storage_) {
        std::shared_ptr<LocalStorage> opened =
            LocalStorage::open(options_.folder, FileSystem::posix(), options_.storage);
        removeForgottenRows(*opened);
        if (!options_.servedAt.empty()) opened->announce(options_.servedAt);
        storage_ = std::move(opened);
    }
    return storage_;
}

void LocalDatabaseService::clearCache() {
    const std::lock_guard guard(mutex_);
    if (storage_) storage_->clearCache();
}

}  // namespace pelorus
