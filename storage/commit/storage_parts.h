// The parts that the classes of one data folder's storage share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/codec/compression.h"
#include "storage/commit/chunk_locks.h"
#include "storage/commit/folder_lock.h"
#include "storage/commit/idempotency_table.h"
#include "storage/commit/storage_options.h"
#include "storage/log/later_sync.h"
#include "storage/segment/block_cache.h"
#include "storage/version/metadata_embedded.h"
#include "storage/version/version_set.h"
#include "storage/version/volumes.h"

namespace pelorus {

class Catalog;
class EncryptionKeys;
class RowStore;
class WalWriter;

// The parts of the storage of one data folder, in the order in which they are made. LocalStorage owns them and hands
// them to the classes that each have one duty with them; all of these live as long as it does.
struct StorageParts {
    // `commit` makes edits of the metadata durable and installs them.
    StorageParts(std::string folder, FileSystem& files, const StorageOptions& options, FolderLock lock,
                 EmbeddedMetaStore::Commit commit);
    ~StorageParts();

    // Returns the number of the newest visible commit.
    uint64_t clock() const { return versions.visible(); }
    // Returns the compression of the tables that ask for anything but the default, by table.
    std::map<uint64_t, ColumnCompression> compressionByTable() const;

    const std::string folder;
    const std::string logFolder;
    FileSystem& files;
    const StorageOptions options;
    FolderLock lock;
    const CipherOf cipherOf;
    BlockCache blocks;
    Volumes volumes;
    VersionSet versions;
    const std::unique_ptr<RowStore> rows;
    EmbeddedMetaStore metadata;
    const std::unique_ptr<Catalog> catalog;
    const std::unique_ptr<EncryptionKeys> keys;
    std::unique_ptr<WalWriter> log;  // null until the folder is recovered
    LaterSync laterSync{log};
    std::atomic<int64_t> olderLogBytes{0};  // of the log files before that of `log` that a start would replay
    std::atomic<int64_t> rowLogBytes{0};    // of those that are kept for rows of row tables alone
    std::atomic<uint64_t> lastSegmentFile{0};
    IdempotencyTable idempotency;
    ChunkLocks locks;
    // Orders steps: held exclusively while a record that moves rows into another segment commits, shared while a record
    // is made and during commits that depend on row positions.
    SharedMutex layout;
};

}  // namespace pelorus
