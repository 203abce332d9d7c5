// Writes the log of a data folder: one sequence of records that carries data, commits and metadata.
//
// Durability. A record is whole or absent: its checksum covers all of it. commit() writes the records of all waiting
// callers (group commit), syncs once, and only then lets `install` make them visible and returns; so commits that
// callers know of are on disk, rows that readers saw are on disk, and commits in flight at a crash are found whole or
// not at all. A commit over many chunks and tables is one record, hence never half. With sync switched off (dataSync=0)
// this holds for a crash of the process, not for one of the machine.
//
// Each batch opens with a mark: how far the log was synced before. Recovery takes a bad record below the largest mark
// for damage and refuses; one above it is the torn end that was never synced, and is cut off. The last batch before an
// end has no mark after it in the log: the file SYNCED has it (synced_mark.h).
//
// Rows of row tables are in their pages before the record is written. Their transaction is placed between the write and
// the sync, in the order of numbers, so that who waits for it goes on, behind it in the same log; readers see it once
// it is installed. After a failed sync it is withdrawn.
//
// After a failed sync the state of the disk is unknown, and a repeated one may succeed without the bytes that the first
// lost: the writer refuses everything until its owner has made durable elsewhere what is installed (`renew`).
// After a failed write (a full disk) the file is cut back to its last record, and synced: the files of the commits that
// fail may then be removed. Later commits may succeed.
//
// Bytes: docs/formats/wal.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "common/io/file.h"
#include "common/thread/mutex.h"
#include "storage/format.h"
#include "storage/log/synced_mark.h"

namespace pelorus {

// The writer of a log. StorageParts owns it; CommitPath, PreparedCommits and Maintenance call it. It has no thread: one
// of the callers that wait leads, and writes and syncs for all. Thread-safe.
class WalWriter {
public:
    // Starts the log file `fileNumber` in `folder`; the previous one ends at `endOfFileBefore`, synced. Records get
    // numbers above `lastNumber`. Throws SystemError when the disk refuses.
    WalWriter(FileSystem& files, std::string folder, uint64_t fileNumber, uint64_t lastNumber, bool dataSync,
              int64_t endOfFileBefore = 0);
    ~WalWriter();

    // A function that installs a record. Called with the record's number once it is durable, in the order of numbers,
    // by one thread at a time. Must not throw.
    using Install = std::function<void(uint64_t number)>;

    // A transaction over row tables that waits for its record. Called by the thread that writes; must not throw or
    // wait.
    class Placement {
    public:
        virtual ~Placement() = default;
        // The record is written and has this number: others may build on it. Called in the order of numbers.
        virtual void place(uint64_t number) noexcept = 0;
        // The record was placed and its sync failed: `commit` will throw. Called before `isSound` tells it.
        virtual void withdraw() noexcept = 0;
    };

    // The time at which a record is synced: before it is installed if dataSync is set (AsSet); before it is installed,
    // even with dataSync=0, for records that let files be removed (Always); or with the next record that is synced, for
    // records that another one, or the cluster's store, can repeat, and commits that do not wait for the disk (Later).
    enum class Sync { AsSet, Always, Later };

    // Makes the record durable, installs it, and returns its number: the next one of a local commit (see stamp.h), at
    // least `atLeast`. Throws SystemError when the disk refuses, and UserError for a record above 4 GB: nothing was
    // installed. A `placement` is told of the write before.
    uint64_t commit(format::RecordKind kind, std::string payload, Install install, uint64_t atLeast = 0,
                    Sync sync = Sync::AsSet, Placement* placement = nullptr);

    // Starts a new file and calls `atBorder(newFileNumber)` while no commit is under way: the installed commits are
    // then exactly those of the older files.
    void startNewFile(const std::function<void(uint64_t fileNumber)>& atBorder);

    // Starts a new file after a failed sync, and calls `atBorder(newFileNumber)` as `startNewFile` does. When
    // `atBorder` returns, it has made all installed commits durable without the older files; it returns the number of
    // the newest. The writer works again then. Throws SystemError when the disk still refuses, or when the writer is at
    // fault itself: then nothing has changed.
    void renew(const std::function<uint64_t(uint64_t fileNumber)>& atBorder);

    // Later records get numbers from `first` on. Does not wait for those under way.
    void numberFrom(uint64_t first);
    // Makes durable what was written before the call. Throws SystemError when the disk refuses.
    void sync();
    // Returns the number of the newest record that is known to be on the disk, or was when the writer began.
    uint64_t syncedNumber() const { return syncedNumber_.load(std::memory_order_acquire); }

    // Returns whether the writer knows the state of the disk: a commit that has failed is not in the log.
    bool isSound() const { return sound_.load(std::memory_order_acquire); }
    // The recent times of syncs.
    struct SyncTime {
        std::chrono::microseconds mean{0};  // weighted mean of the last ones, the one under way included
        uint64_t count = 0;                 // number of syncs that have ended
    };
    SyncTime syncTime() const;
    // Durably records the synced position if no position was recorded since the last call. Called from time to time.
    void rest();
    // Returns the size of the current log file.
    int64_t fileBytes() const;
    // Writes and syncs a small file next to the log, after making sure that the disk has 16 MB of free space, and
    // returns the time of the sync. Throws SystemError when the disk refuses.
    std::chrono::microseconds probeDisk();
    // Returns the number of commits that wait for their turn to be written.
    size_t waiting() const;

private:
    struct Waiter;
    void openFile(uint64_t fileNumber, int64_t endOfFileBefore);
    void noteSynced(format::WalPosition position);
    void cutBack();
    void lead() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void awaitTurn(uint64_t turn) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
    void startFile(const Waiter& waiter);
    void renewFile(const Waiter& waiter);
    std::unique_ptr<File> makeFile(uint64_t fileNumber, int64_t endOfFileBefore);
    void enterFile(std::unique_ptr<File> file, uint64_t fileNumber);
    void writeBatch(const std::deque<Waiter*>& batch);
    void syncWritten();
    void syncFile(const std::deque<Waiter*>& placed);
    void timedSync();
    void refuse(std::string why);
    void enqueueAndWait(Waiter& waiter);

    FileSystem& files_;
    const std::string folder_;
    const bool dataSync_;

    mutable Mutex mutex_;
    CondVar changed_;
    std::deque<Waiter*> queue_ GUARDED_BY(mutex_);
    bool leading_ GUARDED_BY(mutex_) = false;      // a leader writes and syncs
    uint64_t nextTurn_ GUARDED_BY(mutex_) = 0;     // turn of the next batch, assigned when it is written
    uint64_t installTurn_ GUARDED_BY(mutex_) = 0;  // turn of the batch that may install now
    uint64_t lastNumber_ GUARDED_BY(mutex_);

    std::atomic<int64_t> goodBytes_{0};  // up to the last record; written by the leader only, read by anyone

    // Used by the leader only.
    std::unique_ptr<File> file_;
    uint64_t fileNumber_ = 0;
    uint32_t salt_ = 0;      // salt of the file's checksums: bytes that a client sends cannot pass for a mark
    uint32_t nextSalt_ = 0;  // salt of the file that is being begun
    format::WalPosition synced_;
    int64_t reservedBytes_ = 0;
    std::string buffer_;
    uint64_t writtenNumber_ = 0;  // number of the newest record in the file
    std::string refusal_;         // reason why nothing more is written; empty while the writer works
    std::atomic<uint64_t> syncedNumber_;
    std::atomic<bool> sound_{true};
    std::atomic<bool> installFailed_{false};
    std::atomic<int64_t> syncMicros_{0};  // weighted mean, of which each sync is a third
    std::atomic<int64_t> syncBegan_{0};   // time of the steady clock, in microseconds; 0: none is under way
    std::atomic<uint64_t> syncs_{0};

    Mutex markMutex_;
    SyncedMark mark_ GUARDED_BY(markMutex_);
    bool markedSinceRest_ GUARDED_BY(markMutex_) = false;
};

}  // namespace pelorus
