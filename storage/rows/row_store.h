// The row tables of a data folder: their parts, and what these share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/lock/lock_table.h"
#include "storage/rows/read_slots.h"
#include "storage/rows/row_images.h"
#include "storage/rows/row_part.h"
#include "storage/rows/transaction_slots.h"
#include "storage/rows/withdrawn_rows.h"

namespace pelorus {

// A row table on this node.
struct StoredRows {
    StoredRows(uint64_t table, RowColumns columns, TransactionSlots& slots, uint64_t logFile)
        : part(std::make_shared<RowPart>(table, std::move(columns), slots)), logFile(logFile) {}

    const std::shared_ptr<RowPart> part;
    const uint64_t logFile;  // no change of the rows is in an older file of the log
    std::atomic<bool> isDropped{false};
    // Revision of the catalog's entry whose indexes the part has; they are made when a writer first needs them.
    std::atomic<uint64_t> indexRevision{0};
    Mutex indexing;  // orders steps: one thread makes indexes at a time
};

// The parts by table. StorageParts owns it; `visible` and `oldestPinned` are those of its versions. Rows are in memory:
// a start reads the images of their pages, and the changes of the log behind them. Thread-safe.
class RowStore {
public:
    // `oldestPinned` returns the oldest number of at least the given one.
    RowStore(std::function<uint64_t()> visible, std::function<uint64_t(uint64_t from)> oldestPinned)
        : visible_(visible),
          reads_(std::move(visible), [this, oldest = std::move(oldestPinned)] { return oldest(tooOld_); }) {}

    ReadSlots& reads() { return reads_; }
    TransactionSlots& slots() { return slots_; }
    LockTable& locks() { return locks_; }
    WithdrawnRows& withdrawn() { return withdrawn_; }
    // Returns the rows of a table; null when it has none.
    std::shared_ptr<StoredRows> find(uint64_t table) const LOCKS_EXCLUDED(mutex_);
    // Returns the rows of a table, without any when it had none. Columns that they lack are added.
    std::shared_ptr<StoredRows> make(uint64_t table, const RowColumns& columns) LOCKS_EXCLUDED(mutex_);
    // Forgets the rows of a dropped table, and their images; readers keep those that they have.
    void drop(uint64_t table) LOCKS_EXCLUDED(mutex_);
    // Returns the tables that are not dropped.
    std::map<uint64_t, std::shared_ptr<StoredRows>> tables() const LOCKS_EXCLUDED(mutex_);

    // Frees what no reader needs any more. Where more than `maxBytes` of before-images stay, readers with the oldest
    // snapshots are given up until no more do: they end with <SnapshotTooOld>. 0: however many stay.
    void purge(int64_t maxBytes) LOCKS_EXCLUDED(mutex_);
    // Throws SystemError (<SnapshotTooOld>) for a number that was given up: what was read at it may be wrong.
    void requireKept(uint64_t number) const {
        if (number < tooOld_.load(std::memory_order_seq_cst)) throw snapshotTooOld(number);
    }

    // Where the rows are on disk: in the images, and in the log from a file on.
    struct OnDisk {
        uint64_t firstFile = 0;                   // 0: there is no row table
        std::shared_ptr<const RowImages> images;  // null: there are none
    };
    OnDisk onDisk() const LOCKS_EXCLUDED(mutex_);
    // Notes that the log goes on in the file `number`, and returns where the rows of the files before are.
    OnDisk beginLogFile(uint64_t number) LOCKS_EXCLUDED(mutex_);
    // Takes images in place of those before, once a checkpoint names them; in recovery, once the rows are read.
    void adopt(std::shared_ptr<const RowImages> images) LOCKS_EXCLUDED(mutex_);
    // Applies changes of a record in recovery, unless the images have them. Throws SystemError for damaged ones.
    void replay(uint64_t number, const RowEdits& edits);
    // Ends recovery: the log goes on in the file `number`.
    void endReplay(uint64_t number) LOCKS_EXCLUDED(mutex_);

private:
    void keepImages() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const std::function<uint64_t()> visible_;
    std::atomic<uint64_t> tooOld_{0};  // snapshots below were given up
    TransactionSlots slots_;
    LockTable locks_;
    WithdrawnRows withdrawn_;
    ReadSlots reads_;
    mutable Mutex mutex_;
    std::map<uint64_t, std::shared_ptr<StoredRows>> tables_ GUARDED_BY(mutex_);
    std::shared_ptr<const RowImages> images_ GUARDED_BY(mutex_);  // of tables that exist; null: none
    uint64_t logFile_ GUARDED_BY(mutex_) = 0;                     // number of the current file of the log
};

}  // namespace pelorus
