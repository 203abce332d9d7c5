// The storage of one node in its data folder: the entry point of this layer.
#pragma once

#include <memory>
#include <string>

#include "common/io/file.h"
#include "common/meta_store.h"
#include "storage/commit/storage_options.h"

namespace pelorus {

class BlockCache;
class Catalog;
class CommitPath;
class EncryptionKeys;
class FolderLock;
class Maintenance;
class PreparedCommits;
class RowStore;
class StoredTransaction;
class StreamCommits;
class VersionSet;
class WalWriter;
struct StorageParts;
struct TransactionOptions;

// An owner of the parts of a data folder's storage and of the classes that each have one duty with them. Acknowledged
// calls of these and of the metadata store survive a crash (see wal_writer.h); a call that throws SystemError has
// changed nothing. The folder is locked as long as a pointer to it lives. Thread-safe.
class LocalStorage : public std::enable_shared_from_this<LocalStorage> {
public:
    // Locks the folder, recovers committed data, and begins the background work. Throws SystemError when another
    // process has locked the folder: the message names it and its address. Throws DamagedData when the data is damaged
    // and may not be moved aside.
    static std::shared_ptr<LocalStorage> open(const std::string& folder, FileSystem& files = FileSystem::posix(),
                                              const StorageOptions& options = {});
    ~LocalStorage();
    LocalStorage(const LocalStorage&) = delete;
    LocalStorage& operator=(const LocalStorage&) = delete;

    const std::string& folder() const;
    const StorageOptions& options() const;
    // Notes the address at which this process listens, such as "127.0.0.1:8848", for the message to a second process.
    void announce(const std::string& address);

    MetaStore& metadata();
    Catalog& catalog();
    EncryptionKeys& keys();
    BlockCache& blocks();
    WalWriter& log() const;
    VersionSet& versions() const;
    RowStore& rows() const;

    // Begins a transaction over row tables, which keeps the storage open.
    std::unique_ptr<StoredTransaction> beginTransaction(const TransactionOptions& options);
    // Commits batches of rows that concern this node alone.
    CommitPath& commits() const { return *commits_; }
    // Holds batches of transactions over several nodes until they are decided.
    PreparedCommits& prepared() const { return *prepared_; }
    // Commits rows of stream tables, which belong to this node.
    StreamCommits& streams() const { return *streams_; }
    // Flushes, compacts and writes checkpoints.
    Maintenance& maintenance() const { return *maintenance_; }

private:
    LocalStorage(const std::string& folder, FileSystem& files, const StorageOptions& options, FolderLock lock);

    const std::unique_ptr<StorageParts> parts_;
    const std::unique_ptr<CommitPath> commits_;
    const std::unique_ptr<PreparedCommits> prepared_;
    const std::unique_ptr<StreamCommits> streams_;
    const std::unique_ptr<Maintenance> maintenance_;
};

}  // namespace pelorus
