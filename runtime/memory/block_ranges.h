// BlockRanges caches the value ranges of the blocks of a buffer: a range is computed at the second request for it, and
// kept until the values are overwritten.
//
// Thread-safe: several readers may request and compute ranges at once, since all of them see the same values.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pelorus {

// The value range of a block of integers. It covers the values that are not NULL, and is empty when all are NULL.
struct BlockRange {
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    int64_t nullCount = 0;
};

class BlockRanges {
public:
    static constexpr int64_t kBlockElements = 65536;

    explicit BlockRanges(size_t blocks) : slots_(blocks) {}

    // Finds the range of a block. `find`, which computes it, is called on the second request for the block: a reader
    // that reads a buffer once does not pay for the next. Returns false when the range is not known yet.
    template <class Find>
    bool range(size_t block, const Find& find, BlockRange& range) {
        Slot& slot = slots_[block];
        State state = slot.state.load(std::memory_order_acquire);
        if (state == State::Unasked && slot.state.compare_exchange_strong(state, State::Asked)) return false;
        if (state == State::Asked && slot.state.compare_exchange_strong(state, State::Looking)) {
            slot.range = find();
            slot.state.store(State::Known, std::memory_order_release);
            state = State::Known;
        }
        if (state != State::Known) return false;
        range = slot.range;
        return true;
    }

private:
    enum class State : uint8_t { Unasked, Asked, Looking, Known };
    struct Slot {
        std::atomic<State> state{State::Unasked};
        BlockRange range;  // written by the thread that made it Looking
    };
    std::vector<Slot> slots_;
};

}  // namespace pelorus
