#include "storage/rows/transaction_slots.h"

#include "common/check.h"
#include "common/thread/cancellation.h"

namespace pelorus {

static constexpr std::chrono::milliseconds kLookEvery{20};  // for cancellation

TransactionSlots::TransactionSlots() : slots_(std::make_unique<Slot[]>(kSlots)) {
    static_assert((kSlots & kIndexMask) == 0, "the index of a slot is a mask of its tag");
    for (size_t i = kSlots; i > 0; --i) free_.push_back(static_cast<uint16_t>(i - 1));
}

RowStamp TransactionSlots::tagOf(size_t index) const {
    return (uint64_t{1} << 63) | ((slots_[index].generation << 12) & ~(uint64_t{1} << 63)) | index;
}

RowStamp TransactionSlots::begin() {
    MutexLock lock(mutex_);
    while (free_.empty()) {
        checkCancelled();
        changed_.waitFor(lock, kLookEvery);
    }
    const size_t index = free_.back();
    free_.pop_back();
    slots_[index].state.store(kActive, std::memory_order_release);
    return tagOf(index);
}

void TransactionSlots::place(RowStamp tag, uint64_t number) {
    CHECK(number < kNewest) << "numbers of commits are below the states of slots";
    slots_[tag & kIndexMask].state.store(number, std::memory_order_release);
}

void TransactionSlots::markAborted(RowStamp tag) {
    slots_[tag & kIndexMask].state.store(kAborted, std::memory_order_release);
}

void TransactionSlots::end(RowStamp tag) {
    {
        const MutexLock lock(mutex_);
        const size_t index = tag & kIndexMask;
        CHECK(tagOf(index) == tag) << "a slot is given back once";
        ++slots_[index].generation;
        free_.push_back(static_cast<uint16_t>(index));
    }
    changed_.notifyOne();
}

}  // namespace pelorus
