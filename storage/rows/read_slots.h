// Read slots: the snapshots of readers of row tables, which keep the versions that they need.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace pelorus {

// The numbers at which readers read, one cache line each, so that a short read takes no mutex. RowStore owns it.
// `visible` returns the newest visible number; `oldestPinned` the oldest number that a longer reader has pinned
// elsewhere, or the newest visible one. Thread-safe.
class ReadSlots {
public:
    ReadSlots(std::function<uint64_t()> visible, std::function<uint64_t()> oldestPinned);

    // A read at the newest visible number, which stays readable while this lives. Waits where all 1,024 slots are
    // taken.
    class Read {
    public:
        explicit Read(ReadSlots& slots);
        ~Read();
        Read(const Read&) = delete;
        Read& operator=(const Read&) = delete;
        uint64_t number() const { return number_; }

    private:
        ReadSlots& slots_;
        size_t index_ = 0;
        uint64_t number_ = 0;
    };

    // Returns the number at or below which every reader reads, now and later: versions that it supersedes may go.
    uint64_t advanceHorizon();
    // Returns whether a reader at the number, pinned before this call, finds all versions that it needs.
    bool keeps(uint64_t number) const { return number >= horizon_.load(std::memory_order_seq_cst); }

private:
    static constexpr size_t kSlots = 1024;
    static constexpr uint64_t kFree = UINT64_MAX;
    struct alignas(64) Slot {
        std::atomic<uint64_t> number{kFree};
    };

    const std::function<uint64_t()> visible_;
    const std::function<uint64_t()> oldestPinned_;
    std::unique_ptr<Slot[]> slots_;
    std::atomic<uint64_t> horizon_{0};
};

}  // namespace pelorus
