// EncodedBlocks shares the bytes of a stream table's rows among those who send them: rows are encoded once, however
// many subscribers there are.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/thread/mutex.h"

namespace pelorus {

// A range of rows as bytes. The rows [begin, end) and the bytes do not change.
struct EncodedBlock {
    int64_t begin = 0;
    int64_t end = 0;
    std::string bytes;
};

// The blocks of one table that were sent last. Each begins where another ends, so that readers at different places meet
// the same ones. Thread-safe; blocks of different rows are encoded at the same time.
class EncodedBlocks {
public:
    // `mostRows` bounds a block; at least 1.
    explicit EncodedBlocks(int64_t mostRows) : mostRows_(mostRows) {}

    using Encode = std::function<std::string(int64_t begin, int64_t end)>;
    // Returns the block that begins at the row, encoded by `encode` unless another reader has done so. It ends before
    // `published`, the number of rows, at a multiple of the bound, or where the next block begins. Throws what `encode`
    // throws. REQUIRES: begin < published.
    std::shared_ptr<const EncodedBlock> at(int64_t begin, int64_t published, const Encode& encode);
    // The number of blocks that were encoded so far.
    int64_t encoded() const;

private:
    static constexpr size_t kMostBlocks = 1024;
    static constexpr size_t kMostBytes = size_t{32} << 20;

    // A block that is being made, or is there.
    struct Place {
        Mutex making;  // held while the first reader encodes, which others wait for
        std::shared_ptr<const EncodedBlock> block GUARDED_BY(making);
        int64_t end = 0;
    };
    std::shared_ptr<Place> place(int64_t begin, int64_t published);
    void forget(int64_t begin, const Place& place);
    void trim() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

    const int64_t mostRows_;
    mutable Mutex mutex_;
    std::map<int64_t, std::shared_ptr<Place>> places_ GUARDED_BY(mutex_);  // by their first row
    std::deque<std::pair<int64_t, size_t>> made_ GUARDED_BY(mutex_);       // first row and bytes, oldest first
    size_t bytes_ GUARDED_BY(mutex_) = 0;
    int64_t encoded_ GUARDED_BY(mutex_) = 0;
};

}  // namespace pelorus
