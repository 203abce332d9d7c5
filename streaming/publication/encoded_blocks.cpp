#include "streaming/publication/encoded_blocks.h"

#include <algorithm>

#include "common/check.h"

namespace pelorus {

std::shared_ptr<EncodedBlocks::Place> EncodedBlocks::place(int64_t begin, int64_t published) {
    CHECK(begin < published) << "a block has rows";
    const MutexLock lock(mutex_);
    std::shared_ptr<Place>& found = places_[begin];
    if (found) return found;
    int64_t end = std::min(published, begin - begin % mostRows_ + mostRows_);
    if (const auto next = places_.upper_bound(begin); next != places_.end()) end = std::min(end, next->first);
    found = std::make_shared<Place>();
    found->end = end;
    return found;
}

void EncodedBlocks::forget(int64_t begin, const Place& place) {
    const MutexLock lock(mutex_);
    const auto found = places_.find(begin);
    if (found != places_.end() && found->second.get() == &place) places_.erase(found);
}

// Drops the oldest blocks beyond the bounds, but never the last one.
void EncodedBlocks::trim() {
    while (made_.size() > 1 && (made_.size() > kMostBlocks || bytes_ > kMostBytes)) {
        places_.erase(made_.front().first);
        bytes_ -= made_.front().second;
        made_.pop_front();
    }
}

std::shared_ptr<const EncodedBlock> EncodedBlocks::at(int64_t begin, int64_t published, const Encode& encode) {
    const std::shared_ptr<Place> here = place(begin, published);
    const MutexLock making(here->making);
    if (here->block) return here->block;
    auto block = std::make_shared<EncodedBlock>();
    block->begin = begin;
    block->end = here->end;
    try {
        block->bytes = encode(begin, here->end);
    } catch (...) {
        forget(begin, *here);
        throw;
    }
    here->block = block;
    const MutexLock lock(mutex_);
    ++encoded_;
    made_.emplace_back(begin, block->bytes.size());
    bytes_ += block->bytes.size();
    trim();
    return block;
}

int64_t EncodedBlocks::encoded() const {
    const MutexLock lock(mutex_);
    return encoded_;
}

}  // namespace pelorus
