// The turn of those that write to one row table: one transaction after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/thread/mutex.h"
#include "storage/rows/row_transaction.h"

namespace pelorus {

// The turn of a table. A transaction has it from before its first look at the rows until its record is written; it ends
// with that of the transaction, or earlier, in the log's writer. So a transaction builds on rows that are placed and
// not yet durable, behind which its own record lies. Row locks will let several transactions write at once.
// Thread-safe.
class RowTurn {
public:
    // Waits until no other has the turn, and all withdrawn transactions have been put back. Returns the number of the
    // newest placed transaction; 0 when there is none.
    uint64_t acquire() LOCKS_EXCLUDED(mutex_);
    // Ends the turn after nothing was changed, or all was put back.
    void release() LOCKS_EXCLUDED(mutex_);
    // Ends the turn of a transaction that was placed.
    void releasePlaced(uint64_t number) LOCKS_EXCLUDED(mutex_);

    // Notes that a placed transaction is withdrawn: the next turn waits for it.
    void noteWithdrawn() LOCKS_EXCLUDED(mutex_);
    // Gives the turn that transaction, which the next holder puts back: others may have written over its rows, and
    // these have ended then.
    void giveWithdrawn(std::unique_ptr<RowTransaction> transaction) LOCKS_EXCLUDED(mutex_);
    // Puts back all withdrawn transactions, waiting for the turn if there are any.
    void putBackWithdrawn() LOCKS_EXCLUDED(mutex_);

private:
    Mutex mutex_;
    CondVar changed_;
    bool isTaken_ GUARDED_BY(mutex_) = false;
    uint64_t lastPlaced_ GUARDED_BY(mutex_) = 0;
    size_t expected_ GUARDED_BY(mutex_) = 0;  // number of withdrawn transactions that have not been put back
    std::vector<std::unique_ptr<RowTransaction>> withdrawn_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
