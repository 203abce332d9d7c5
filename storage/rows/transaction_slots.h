// Slots of running row transactions: the one word by which all rows of a transaction become committed at once.
//
// A row that a transaction writes carries the transaction's tag in place of a commit number. The tag names a slot, and
// the slot says whether the transaction is active, placed at a number, or aborted. So a commit of any number of rows is
// one store. The committing thread stamps its rows with the number afterwards and gives the slot back; only then may
// another transaction use it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/thread/mutex.h"

namespace pelorus {

// A stamp of a row version: the number of a commit, or the tag of a transaction, whose highest bit is set.
using RowStamp = uint64_t;

// The slots that the transactions of one data folder share. RowStore owns them. Thread-safe.
class TransactionSlots {
public:
    static constexpr size_t kSlots = 4096;
    static constexpr uint64_t kActive = UINT64_MAX;       // state of a transaction that runs
    static constexpr uint64_t kAborted = UINT64_MAX - 1;  // state of one whose rows are being put back
    static constexpr uint64_t kNewest = UINT64_MAX - 2;   // as a snapshot number: sees whatever is placed

    TransactionSlots();

    // Begins a transaction and returns its tag. Waits while all slots are taken; throws UserError when the running
    // request is cancelled.
    RowStamp begin() LOCKS_EXCLUDED(mutex_);
    // Commits the transaction at `number`: all its rows are committed from now on.
    void place(RowStamp tag, uint64_t number);
    // Marks the transaction, also a placed one whose record did not become durable, as aborted.
    void markAborted(RowStamp tag);
    // Gives the slot back. REQUIRES: no row carries the tag any more.
    void end(RowStamp tag) LOCKS_EXCLUDED(mutex_);

    static bool isTag(RowStamp stamp) { return (stamp >> 63) != 0; }
    // Returns the commit number of a stamp; kActive or kAborted for one that has none. REQUIRES: for a tag, the caller
    // holds the latch of the page that has it, so that the slot stays that transaction's.
    uint64_t numberOf(RowStamp stamp) const {
        return isTag(stamp) ? slots_[stamp & kIndexMask].state.load(std::memory_order_acquire) : stamp;
    }

private:
    static constexpr uint64_t kIndexMask = kSlots - 1;
    struct Slot {
        std::atomic<uint64_t> state{kActive};
        uint64_t generation = 0;  // guarded by mutex_
    };
    RowStamp tagOf(size_t index) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    Mutex mutex_;
    CondVar changed_;
    std::unique_ptr<Slot[]> slots_;  // the states are atomic; generations are guarded by mutex_
    std::vector<uint16_t> free_ GUARDED_BY(mutex_);
};

}  // namespace pelorus
