// DatabaseService is the interface of databases and tables for the built-in functions, on one node or over a cluster.
// It is a service of the process.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "database/service/folder_databases.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/folder/local_storage.h"
#include "storage/table/local_table.h"

namespace pelorus {

class Sequences;
class Views;
class SessionLocks;
class Transaction;
struct TransactionOptions;

// The current catalog of each session; empty for none. Thread-safe.
class CurrentCatalogs {
public:
    std::string get(int64_t session) const {
        const MutexLock guard(mutex_);
        const auto it = names_.find(session);
        return it == names_.end() ? "" : it->second;
    }
    void set(int64_t session, std::string catalog) {
        const MutexLock guard(mutex_);
        if (catalog.empty()) {
            names_.erase(session);
        } else {
            names_[session] = std::move(catalog);
        }
    }

private:
    mutable Mutex mutex_;
    std::unordered_map<int64_t, std::string> names_ GUARDED_BY(mutex_);
};

// The base class of LocalDatabaseService and the cluster's service. Thread-safe.
class DatabaseService {
public:
    virtual ~DatabaseService() = default;

    // Returns the catalog of databases and tables, which lives as long as the service.
    virtual Catalog& catalog() = 0;
    // Returns the metadata store of the catalog; null when there is no database yet and `create` is false.
    virtual MetaStore* metaStore(bool /*create*/) { return &catalog().store(); }
    // Returns the table of an entry; it keeps the storage open.
    virtual Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) = 0;
    // Removes the rows of a table that was dropped from the catalog, and then its tombstone.
    virtual void removeRows(uint64_t table) = 0;
    // These remove all rows of a table, or of the partitions with these paths; the table remains.
    virtual void truncate(uint64_t table) = 0;
    virtual void removePartitions(uint64_t table, const std::vector<std::string>& paths) = 0;
    // Drops cached blocks of segments.
    virtual void clearCache() = 0;
    // Returns the storage of this node.
    virtual LocalStorage& ownStorage() = 0;
    // Returns a transaction over the row tables of this node, and the advisory locks of a session, none yet. The
    // service outlives them. Throw SystemError when the folder cannot be opened.
    std::unique_ptr<Transaction> beginTransaction(const TransactionOptions& options);
    std::unique_ptr<SessionLocks> beginSessionLocks(uint64_t session);
    // Waits, for 30 seconds at most, until no transaction has changed rows of a row table, and keeps others from it
    // while the result lives. Throws UserError (<LockNotAvailable>) when it waited in vain, and when the request is
    // cancelled.
    std::unique_ptr<Transaction> lockRows(uint64_t table);
    // Returns the clock of the node's own tables (StoredTable::clock).
    const void* ownClock() { return &ownStorage(); }
    // Returns the keys of encrypted tables. Throws UserError on a cluster, whose tables cannot be encrypted.
    EncryptionKeys& encryptionKeys();
    // Creates the table in the catalog, with a key when it has an encryptMode, and returns its entry.
    TableEntry createTable(TableEntry table);
    CurrentCatalogs& currentCatalogs() { return currentCatalogs_; }
    FolderDatabases& folders() { return folders_; }
    // Returns the sequences of the catalog.
    Sequences& sequences() { return *sequences_; }
    // Returns the views of the catalog.
    Views& views() { return *views_; }

private:
    static std::shared_ptr<Sequences> makeSequences(DatabaseService& service);
    const std::shared_ptr<Sequences> sequences_ = makeSequences(*this);
    static std::shared_ptr<Views> makeViews(DatabaseService& service);
    const std::shared_ptr<Views> views_ = makeViews(*this);
    CurrentCatalogs currentCatalogs_;
    FolderDatabases folders_;
};

// The databases of one node. The folder is opened, locked and recovered at first use, so that a script without
// databases pays nothing.
class LocalDatabaseService final : public DatabaseService {
public:
    struct Options {
        std::string folder;
        StorageOptions storage;
        OutsideRules rules;
        std::string servedAt;                         // address that a second process that opens the folder is told
        std::shared_ptr<FileSystem> files = nullptr;  // file system of the folder; null: the machine's
    };
    explicit LocalDatabaseService(Options options) : options_(std::move(options)) {}

    Catalog& catalog() override { return storage()->catalog(); }
    MetaStore* metaStore(bool create) override;
    Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) override;
    void removeRows(uint64_t table) override;
    void truncate(uint64_t table) override;
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override;
    void clearCache() override;
    LocalStorage& ownStorage() override { return *storage(); }

    // Returns the storage, opening it at the first call. Throws SystemError when the folder is in use, damaged, or
    // belongs to a cluster.
    std::shared_ptr<LocalStorage> storage();

private:
    const Options options_;
    Mutex mutex_;
    std::shared_ptr<LocalStorage> storage_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
