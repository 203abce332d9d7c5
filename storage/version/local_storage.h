// Storage of one node in its data folder: the entry point of this layer.
//
// open() recovers committed data and locks the folder. Everything here is thread-safe. Acknowledged calls of append,
// prepare and the metadata store survive a crash (see wal_writer.h); a SystemError leaves nothing half done.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/error.h"
#include "common/io/file.h"
#include "common/meta_store.h"
#include "common/thread/mutex.h"
#include "storage/encryption/encryption_keys.h"
#include "storage/log/wal_writer.h"
#include "storage/segment/block_cache.h"
#include "storage/version/chunk_rows.h"
#include "storage/version/idempotency_table.h"
#include "storage/version/version_set.h"
#include "storage/version/volumes.h"

namespace pelorus {

class Catalog;
class EmbeddedMetaStore;
struct TableOrder;

// What the folder holds does not read as it was written.
class DamagedData : public SystemError {
public:
    using SystemError::SystemError;
};

struct StorageOptions {
    bool dataSync = true;                 // a commit waits for the disk
    int64_t blockCacheBytes = 0;          // decoded blocks; 0 takes a fifth of the memory that the process may use
    int64_t writeCacheBytes = 256 << 20;  // of rows in memory, over all chunks, that start a flush
    int64_t checkpointBytes = 256 << 20;  // size of a log file that starts a checkpoint
    int64_t checkpointSeconds = 0;        // age of a log that starts one, too; 0: only its size does
    std::string keyFolder;                // of master keys, TDEKeyDir; none: no table can be encrypted
    std::string logFolder;                // of the log; empty: "wal" of the data folder
    std::vector<std::string> volumes;     // folders on other disks that take the column files in turn
    double volumeUsageThreshold = 1;      // share of a disk from which on it gets no new column files
    bool maintenance = true;              // flush, compact and checkpoint in the background
    // Called with what is damaged in the folder: whether its data may be put aside, since all of it is to be had
    // elsewhere, and the folder be opened without any. Null: never.
    std::function<bool(const std::string& damage)> mayMoveAside;
};

class LocalStorage : public std::enable_shared_from_this<LocalStorage> {
public:
    // Throws SystemError when another process owns the folder: names it, and its address; DamagedData when what it
    // holds does not read, and may not be put aside.
    static std::shared_ptr<LocalStorage> open(const std::string& folder, FileSystem& files = FileSystem::posix(),
                                              const StorageOptions& options = {});
    ~LocalStorage();
    LocalStorage(const LocalStorage&) = delete;
    LocalStorage& operator=(const LocalStorage&) = delete;

    const std::string& folder() const { return folder_; }
    MetaStore& metadata();
    Catalog& catalog() { return *catalog_; }
    EncryptionKeys& keys() { return *keys_; }
    VersionSet& versions() { return *versions_; }
    const VersionSet& versions() const { return *versions_; }
    const StorageOptions& options() const { return options_; }

    // Writes the address where this process listens, as in "127.0.0.1:8848", for a second process to report.
    void announce(const std::string& address);

    // Stores the rows as one transaction and returns its number: snapshots from it on see them, all or none. With an id
    // of an earlier append, also before a restart, nothing is stored again: returns that append's number. The newest
    // 16,384 ids are remembered.
    uint64_t append(std::vector<ChunkRows> chunks, const std::string& id = "");
    // Stores them only if `mayStore` allows it; otherwise nothing is stored, and nothing returned. It is called while
    // nobody may change or drop the chunks, and not for an append that has its answer.
    using Check = std::function<bool()>;
    std::optional<uint64_t> appendIf(const Check& mayStore, std::vector<ChunkRows> chunks, const std::string& id);

    // Removes all chunks of a table; `keepChunks` only empties them. Files are removed after their last reader. Throws
    // SystemError (retryable) when another transaction holds one of them for longer than `timeout`.
    void removeRows(uint64_t table, bool keepChunks = false,
                    std::chrono::milliseconds timeout = std::chrono::seconds(30));
    void removeChunks(uint64_t table, const std::vector<std::string>& paths,
                      std::chrono::milliseconds timeout = std::chrono::seconds(30));
    void removeChunks(const std::vector<uint64_t>& chunks,
                      std::chrono::milliseconds timeout = std::chrono::seconds(30));
    // Waits until the commits to a chunk that are under way have ended, prepared ones too. Throws SystemError
    // (retryable) when that takes long.
    void awaitCommits(uint64_t table, const std::string& path);
    // Removes a chunk that has not changed since the snapshot `since`; otherwise returns false, and nothing happens.
    bool removeUnchanged(uint64_t chunk, uint64_t since);
    // Replaces the rows that chunks had in the snapshot `since` as one transaction, and makes those that do not exist.
    // Rows that were added since stay, after the new ones, as if they had come later. Returns false, and changes
    // nothing, when rows of one of them were changed or reordered since. REQUIRES: a Pin at `since`. `changedAt`: the
    // new rows are copies of another node's, last changed there by the commit of that number; 0: they are not.
    bool replace(std::vector<ChunkRows> chunks, uint64_t since, uint64_t changedAt = 0);
    enum class Change {
        Done,
        Busy,     // another transaction holds one of the chunks for longer than the caller waits
        Changed,  // rows that are to be replaced were changed since they were seen
        Moved,    // they lie otherwise than they were seen
        Refused,  // by `mayStore`
    };
    // Adds and replaces rows as one transaction, as each of the chunks says. REQUIRES: a Pin at their snapshots.
    Change change(std::vector<ChunkRows> chunks, const Check& mayStore = nullptr);

    // Prepares what a transaction of the cluster does to chunks. It is durable and invisible until `applyDecisions`;
    // until then other appends may go to chunks that it only adds rows to, and changes wait; when it replaces any rows,
    // everybody waits for all its chunks. `participants` are the nodes that prepare it, for whoever has to settle it.
    // Done, or Busy after `timeout`, or Changed or Moved.
    Change prepare(const std::string& transaction, const std::vector<std::string>& participants,
                   std::vector<ChunkRows> chunks, std::chrono::milliseconds timeout = std::chrono::seconds(5));
    struct Decision {
        std::string transaction;
        bool commit = false;
        uint64_t number = 0;  // of a commit: its stamp
    };
    // Installs or forgets what was decided at one revision of the cluster's store, in the order given; what is not
    // prepared here is passed over. The store tells it again after a crash, so the disk is not waited for, unless files
    // are removed. REQUIRES: stamps ascend, over all calls too.
    void applyDecisions(const std::vector<Decision>& decisions);
    struct OpenTransaction {
        std::string name;
        std::vector<std::string> participants;
        uint64_t number = 0;  // that prepare got
        size_t chunks = 0;    // that it writes
    };
    // Returns transactions without a decision, oldest first.
    std::vector<OpenTransaction> openTransactions() const;
    bool isPrepared(const std::string& transaction) const;
    // Gives later commits numbers from `first` on.
    void numberFrom(uint64_t first) { wal_->numberFrom(first); }
    // Waits until all that was installed before is on the disk, or was written with dataSync=0.
    void sync() { wal_->sync(); }
    // Returns how long syncs of the log take of late.
    WalWriter::SyncTime syncTime() const { return wal_->syncTime(); }
    // Looks whether the disk of the log has some room, and returns how long the sync of a small file takes. Throws
    // SystemError when it refuses.
    std::chrono::microseconds probeDisk();
    // Whether the log takes commits: not after a failed sync, until `renewLog`.
    bool isSound() const { return wal_->isSound(); }
    // Returns the number of the newest record that is.
    uint64_t syncedNumber() const { return wal_->syncedNumber(); }

    // Returns the number of the newest visible commit.
    uint64_t clock() const { return versions_->visible(); }

    // Maintenance, also done in the background.
    void flush(int64_t minimumRows = 1) LOCKS_EXCLUDED(maintenance_);
    void compact() LOCKS_EXCLUDED(maintenance_);
    void checkpoint() LOCKS_EXCLUDED(maintenance_);
    // After a failed sync of the log: begins a new one, with a checkpoint of all that is installed in the place of the
    // old. What failed is not there then, and commits are accepted again. Does nothing while the log is sound. Throws
    // SystemError when the disk still refuses.
    void renewLog() LOCKS_EXCLUDED(maintenance_);
    void clearCache() { blocks_.clear(); }
    int64_t cachedBlockBytes() const { return blocks_.usedBytes(); }
    // COMPLETE, or IN_TRANSACTION while commits to the chunk are under way or wait for a decision.
    const char* chunkState(uint64_t table, const std::string& path) const;
    // Returns the failure of the last background run; empty when it succeeded.
    std::string maintenanceError() const;

private:
    struct Prepared {
        uint64_t number = 0;
        std::vector<std::string> participants;
        std::vector<Edit> edits;
        std::vector<uint64_t> chunks() const;
        bool isExclusive() const;  // it removes rows
    };
    // Lock of a chunk for commits: any number of appends, prepared ones included, or one change, in the order in which
    // they came.
    struct ChunkLock {
        int appends = 0;
        bool changes = false;
        std::map<uint64_t, bool> waiting;  // by turn; whether it wants the chunk exclusively
        bool isAtRest() const { return appends == 0 && !changes && waiting.empty(); }
    };
    class ChunkLockHold;
    struct StagedFile;

    LocalStorage(std::string folder, FileSystem& files, const StorageOptions& options, std::unique_ptr<FileLock> lock);

    void claimLogFolder();
    bool hasBegun() const;
    void noteBegun();
    void recover();
    format::WalPosition replayLogs(uint64_t checkpointNumber);
    void loadCheckpoint(uint64_t number);
    void applyRecord(uint64_t number, format::RecordKind kind, std::string_view payload);
    void removeOrphans();

    Change replacementOf(const ChunkRows& replaced, uint64_t chunk, Edit& removal, std::vector<Edit>& kept) const;
    bool hadRows(const ChunkRows& chunk) const;
    Change changeEdits(const std::vector<ChunkRows>& chunks, std::vector<Edit>& rows) const;
    void noteCopies(const std::vector<ChunkRows>& chunks, std::vector<Edit>& edits) const;
    void reserveReplaced(const std::vector<ChunkRows>& chunks, std::vector<Edit>& edits) const;
    bool isChanging(uint64_t chunk) const LOCKS_EXCLUDED(chunkLockMutex_);
    std::vector<Edit> stage(const std::vector<ChunkRows>& chunks, StagedFile& staged);
    void forgetDroppedChunks(std::vector<Edit>& edits) const;
    uint64_t commit(std::vector<Edit> edits);
    void install(uint64_t number, const std::vector<Edit>& edits, uint64_t visible = 0);
    void holdPrepared(const std::string& transaction, Prepared prepared);
    std::optional<Prepared> takePrepared(const std::string& transaction);
    void discard(StagedFile& staged);
    void unlockChunks(const std::vector<uint64_t>& chunks, bool exclusive) LOCKS_EXCLUDED(chunkLockMutex_);
    void lockRecovered(const Prepared& prepared) LOCKS_EXCLUDED(chunkLockMutex_);
    void installDecisions(uint64_t number, const std::vector<Decision>& decisions);

    void flushChunks(const std::vector<uint64_t>& chunks) EXCLUSIVE_LOCKS_REQUIRED(maintenance_);
    bool compactChunk(uint64_t chunk, const TableOrder& order, const ColumnCompression& compression)
        EXCLUSIVE_LOCKS_REQUIRED(maintenance_);
    // Returns by table those that ask for anything but the default.
    std::map<uint64_t, ColumnCompression> compressionByTable() const;
    std::string encodeCheckpoint();
    void writeCheckpoint(uint64_t number, const std::string& bytes);
    void removeOlderThan(uint64_t checkpoint);
    void maintain();

    const std::string folder_;
    const std::string logFolder_;
    FileSystem& files_;
    const StorageOptions options_;
    std::unique_ptr<FileLock> lock_, logLock_;
    const CipherOf cipherOf_;
    BlockCache blocks_;
    Volumes volumes_;
    std::unique_ptr<VersionSet> versions_;
    std::unique_ptr<EmbeddedMetaStore> metadata_;
    std::unique_ptr<Catalog> catalog_;
    std::unique_ptr<EncryptionKeys> keys_;
    std::unique_ptr<WalWriter> wal_;
    std::atomic<uint64_t> lastSegmentFile_{0};
    IdempotencyTable idempotency_;

    mutable Mutex preparedMutex_;
    std::map<std::string, Prepared> prepared_ GUARDED_BY(preparedMutex_);

    mutable Mutex chunkLockMutex_;
    CondVar chunkLockChanged_;
    std::map<uint64_t, ChunkLock> chunkLocks_ GUARDED_BY(chunkLockMutex_);  // by chunk; entries at rest are removed
    uint64_t lastTurn_ GUARDED_BY(chunkLockMutex_) = 0;

    Mutex maintenance_;  // orders steps: one flush, compaction or checkpoint at a time
    // Orders steps: held exclusively while a record that moves rows into another segment commits, shared while a record
    // is made and during commits that depend on row positions.
    SharedMutex layout_;
    mutable Mutex wakeMutex_;
    CondVar wake_;
    bool stopping_ GUARDED_BY(wakeMutex_) = false;
    bool pressed_ GUARDED_BY(wakeMutex_) = false;  // a maintenance run is due
    std::string maintenanceError_ GUARDED_BY(wakeMutex_);
    std::thread maintainer_;
};

}  // namespace pelorus
