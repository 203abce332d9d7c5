// The row tables of a data folder: their parts, and what these share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/rows/read_slots.h"
#include "storage/rows/row_part.h"
#include "storage/rows/row_turn.h"
#include "storage/rows/transaction_slots.h"

namespace pelorus {

// A row table on this node: its rows and the turn of its writers.
struct StoredRows {
    StoredRows(uint64_t table, RowColumns columns, TransactionSlots& slots, uint64_t logFile)
        : part(std::make_shared<RowPart>(table, std::move(columns), slots)), logFile(logFile) {}

    const std::shared_ptr<RowPart> part;
    RowTurn turn;
    const uint64_t logFile;  // no change of the rows is in an older file of the log
    std::atomic<bool> isDropped{false};
    // Revision of the catalog's entry whose indexes the part has; they are made when a writer first needs them. Written
    // by holders of the turn.
    std::atomic<uint64_t> indexRevision{0};
};

// The parts by table. StorageParts owns it; `visible` and `oldestPinned` are those of its versions. Rows are in the log
// and in memory alone: a start reads all changes of the tables that exist. Thread-safe.
class RowStore {
public:
    RowStore(std::function<uint64_t()> visible, std::function<uint64_t()> oldestPinned)
        : reads_(std::move(visible), std::move(oldestPinned)) {}

    ReadSlots& reads() { return reads_; }
    // Returns the rows of a table; null when it has none.
    std::shared_ptr<StoredRows> find(uint64_t table) const LOCKS_EXCLUDED(mutex_);
    // Returns the rows of a table, without any when it had none. Columns that they lack are added.
    std::shared_ptr<StoredRows> make(uint64_t table, const RowColumns& columns) LOCKS_EXCLUDED(mutex_);
    // Forgets the rows of a dropped table; readers keep those that they have.
    void drop(uint64_t table) LOCKS_EXCLUDED(mutex_);

    // Frees what no reader needs any more.
    void purge() LOCKS_EXCLUDED(mutex_);
    // Puts back the transactions whose records did not become durable, waiting for those that wrote over them.
    void putBackWithdrawn() LOCKS_EXCLUDED(mutex_);

    // Notes that the log goes on in the file `number`, and returns the first file that has changes of a row table; 0
    // when there is none.
    uint64_t beginLogFile(uint64_t number) LOCKS_EXCLUDED(mutex_);
    // Applies changes of a record in recovery. Throws SystemError for damaged ones.
    void replay(uint64_t number, const RowEdits& edits);
    // Ends recovery: the log goes on in the file `number`.
    void endReplay(uint64_t number) LOCKS_EXCLUDED(mutex_);

private:
    std::vector<std::shared_ptr<StoredRows>> all() const LOCKS_EXCLUDED(mutex_);

    TransactionSlots slots_;
    ReadSlots reads_;
    mutable Mutex mutex_;
    std::map<uint64_t, std::shared_ptr<StoredRows>> tables_ GUARDED_BY(mutex_);
    uint64_t logFile_ GUARDED_BY(mutex_) = 0;  // number of the current file of the log
};

}  // namespace pelorus
