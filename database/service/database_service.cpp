#include "database/service/database_service.h"

#include <chrono>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "database/service/folder_identity.h"
#include "runtime/append/script_transaction.h"
#include "storage/catalog/sequences.h"
#include "storage/catalog/views.h"
#include "storage/commit/commit_path.h"
#include "storage/commit/stored_session_locks.h"
#include "storage/commit/stored_transaction.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/row_table/row_table.h"
#include "storage/rows/row_store.h"
#include "storage/segment/block_cache.h"

namespace pelorus {

// A table is replaced by a tombstone in the catalog before its rows are removed: after a crash in between they are
// still there, invisible. Rows of a table that is just not in the catalog stay.
static void removeDroppedRows(LocalStorage& storage) {
    for (const uint64_t table : storage.catalog().tombstones()) {
        storage.commits().removeRows(table);
        storage.catalog().removeTombstone(table);
    }
}

void LocalDatabaseService::removeRows(uint64_t table) {
    storage()->commits().removeRows(table);
    storage()->catalog().removeTombstone(table);
}

EncryptionKeys& DatabaseService::encryptionKeys() {
    LocalStorage& storage = ownStorage();
    // Other nodes would need the keys before they recover their data.
    if (&catalog().store() != &storage.catalog().store())
        throw UserError("Tables of a cluster cannot be encrypted.", "Leave encryptMode out, or use a node of its own.");
    return storage.keys();
}

std::unique_ptr<Transaction> DatabaseService::beginTransaction(const TransactionOptions& options) {
    return ownStorage().beginTransaction(options);
}

std::unique_ptr<Transaction> DatabaseService::lockRows(uint64_t table) {
    constexpr std::chrono::seconds kLockTimeout{30};
    ScriptTransaction::requireUnchanged("A definition");
    std::unique_ptr<StoredTransaction> transaction = ownStorage().beginTransaction({});
    transaction->beginStatement({.lockTimeout = kLockTimeout});
    transaction->lockTable(table, LockMode::AccessExclusive);
    return transaction;
}

std::unique_ptr<SessionLocks> DatabaseService::beginSessionLocks(uint64_t session) {
    return std::make_unique<StoredSessionLocks>(ownStorage().rows().locks(), session);
}

std::shared_ptr<Sequences> DatabaseService::makeSequences(DatabaseService& service) {
    return std::make_shared<Sequences>([&service]() -> MetaStore& { return service.catalog().store(); });
}

std::shared_ptr<Views> DatabaseService::makeViews(DatabaseService& service) {
    return std::make_shared<Views>([&service]() -> MetaStore& { return service.catalog().store(); });
}

TableEntry DatabaseService::createTable(TableEntry table) {
    if (table.rowTable && &catalog().store() != &ownStorage().catalog().store()) {
        throw UserError("<NotSupported>A cluster keeps no row tables.",
                        "Create the table on a node of its own, or as a table of columns.");
    }
    if (table.encryptMode.empty()) return catalog().createTable(std::move(table));
    return encryptionKeys().createTable(catalog(), std::move(table));
}

std::shared_ptr<LocalStorage> LocalDatabaseService::storage() {
    const MutexLock guard(mutex_);
    if (!storage_) {
        std::shared_ptr<LocalStorage> opened = LocalStorage::open(
            options_.folder, options_.files ? *options_.files : FileSystem::posix(), options_.storage);
        if (!options_.files) refuseFolderOfCluster(options_.folder);  // a plain folder belongs to no cluster
        removeDroppedRows(*opened);
        if (!options_.servedAt.empty()) opened->announce(options_.servedAt);
        storage_ = std::move(opened);
    }
    return storage_;
}

Ref<PartitionedTable> LocalDatabaseService::open(const DatabaseEntry& database, const TableEntry& table) {
    if (table.rowTable) return makeRef<RowTable>(storage(), database, table);
    return makeRef<LocalTable>(storage(), database, table, options_.rules);
}

MetaStore* LocalDatabaseService::metaStore(bool create) {
    if (!create && !FileSystem::posix().exists(options_.folder + "/LOCK")) return nullptr;
    return &catalog().store();
}

void LocalDatabaseService::truncate(uint64_t table) {
    storage()->commits().removeRows(table, true);
}

void LocalDatabaseService::removePartitions(uint64_t table, const std::vector<std::string>& paths) {
    storage()->commits().removeChunks(table, paths);
}

void LocalDatabaseService::clearCache() {
    const MutexLock guard(mutex_);
    if (storage_) storage_->blocks().clear();
}

}  // namespace pelorus
