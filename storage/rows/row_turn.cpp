#include "storage/rows/row_turn.h"

#include <utility>

#include "common/check.h"

namespace pelorus {

uint64_t RowTurn::acquire() {
    MutexLock lock(mutex_);
    while (isTaken_ || withdrawn_.size() < expected_) changed_.wait(lock);
    isTaken_ = true;
    const auto withdrawn = std::exchange(withdrawn_, {});
    expected_ = 0;
    const uint64_t placed = lastPlaced_;
    lock.unlock();
    for (auto transaction = withdrawn.rbegin(); transaction != withdrawn.rend(); ++transaction) (*transaction)->abort();
    return placed;
}

void RowTurn::release() {
    {
        const MutexLock lock(mutex_);
        CHECK(isTaken_) << "a turn ends once";
        isTaken_ = false;
    }
    changed_.notifyAll();
}

void RowTurn::releasePlaced(uint64_t number) {
    {
        const MutexLock lock(mutex_);
        CHECK(isTaken_) << "a turn ends once";
        isTaken_ = false;
        lastPlaced_ = number;
    }
    changed_.notifyAll();
}

void RowTurn::noteWithdrawn() {
    const MutexLock lock(mutex_);
    ++expected_;
}

void RowTurn::giveWithdrawn(std::unique_ptr<RowTransaction> transaction) {
    {
        const MutexLock lock(mutex_);
        withdrawn_.push_back(std::move(transaction));
    }
    changed_.notifyAll();
}

void RowTurn::putBackWithdrawn() {
    {
        const MutexLock lock(mutex_);
        if (expected_ == 0) return;
    }
    acquire();
    release();
}

}  // namespace pelorus
