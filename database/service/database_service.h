// Interface of databases and tables for the built-in functions: on one node, or over a cluster. A service of the
// process.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "database/service/folder_databases.h"
#include "runtime/table/table.h"
#include "storage/catalog/catalog.h"
#include "storage/table/local_table.h"
#include "storage/version/local_storage.h"

namespace pelorus {

// Current catalog of each session. Thread-safe.
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

// Base class of the implementations. Thread-safe.
class DatabaseService {
public:
    virtual ~DatabaseService() = default;

    virtual Catalog& catalog() = 0;
    // Returns the metadata store of the catalog; null when there is no database yet and `create` is false.
    virtual MetaStore* metaStore(bool /*create*/) { return &catalog().store(); }
    virtual Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) = 0;
    // Removes the rows of a table that is no longer in the catalog.
    virtual void removeRows(uint64_t table) = 0;
    // Empties a table, or the partitions with these paths; the table stays.
    virtual void truncate(uint64_t table) = 0;
    virtual void removePartitions(uint64_t table, const std::vector<std::string>& paths) = 0;
    virtual void clearCache() = 0;
    // The storage of this node itself.
    virtual LocalStorage& ownStorage() = 0;
    // Throws UserError on a cluster, whose tables cannot be encrypted yet.
    EncryptionKeys& encryptionKeys();
    // Creates the table in the catalog, with a key when the table is to be encrypted.
    TableEntry createTable(TableEntry table);
    CurrentCatalogs& currentCatalogs() { return currentCatalogs_; }
    FolderDatabases& folders() { return folders_; }

private:
    CurrentCatalogs currentCatalogs_;
    FolderDatabases folders_;
};

// Databases of this node only. The folder is opened, locked and recovered at first use, so that a script without
// databases pays nothing.
class LocalDatabaseService final : public DatabaseService {
public:
    struct Options {
        std::string folder;
        StorageOptions storage;
        OutsideRules rules;
        std::string servedAt;                         // shown to a second process that wants the folder
        std::shared_ptr<FileSystem> files = nullptr;  // that the folder is opened in; null: the machine's
    };
    explicit LocalDatabaseService(Options options) : options_(std::move(options)) {}

    Catalog& catalog() override { return storage()->catalog(); }
    MetaStore* metaStore(bool create) override;
    Ref<PartitionedTable> open(const DatabaseEntry& database, const TableEntry& table) override {
        return makeRef<LocalTable>(storage(), database, table, options_.rules);
    }
    void removeRows(uint64_t table) override;
    void truncate(uint64_t table) override { storage()->removeRows(table, true); }
    void removePartitions(uint64_t table, const std::vector<std::string>& paths) override {
        storage()->removeChunks(table, paths);
    }
    void clearCache() override;
    LocalStorage& ownStorage() override { return *storage(); }

    std::shared_ptr<LocalStorage> storage();

private:
    const Options options_;
    Mutex mutex_;
    std::shared_ptr<LocalStorage> storage_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
