#include "runtime/memory/text_arena.h"

#include <cstring>

#include "common/error.h"

namespace pelorus {

constexpr int kLengthBits = 20;
constexpr int kOffsetBits = 20;
constexpr size_t kMaxBlockBytes = size_t{1} << kOffsetBits;
constexpr size_t kLongLength = (size_t{1} << kLengthBits) - 1;  // the text fills its block
constexpr size_t kMaxBlocks = size_t{1} << 24;

uint64_t TextArena::add(std::string_view text) {
    if (text.empty()) return 0;
    const bool isLong = text.size() >= kMaxBlockBytes / 4;
    size_t block;
    if (isLong || current_ < 0 ||
        blocks_[static_cast<size_t>(current_)].used + text.size() > blocks_[static_cast<size_t>(current_)].sizeBytes) {
        if (blocks_.size() + 1 >= kMaxBlocks) {
            throw SystemError("A string vector cannot hold more text than 16 TB.");
        }
        // Small vectors should not pay for a large block: blocks grow with the arena.
        size_t size = isLong ? text.size() : std::min(kMaxBlockBytes, std::max<size_t>(256, memoryBytes_));
        size = std::max(size, text.size());
        block = blocks_.size();
        blocks_.push_back({std::make_unique<char[]>(size), size, 0});
        memoryBytes_ += static_cast<int64_t>(size);
        if (!isLong) current_ = static_cast<int32_t>(block);
    } else {
        block = static_cast<size_t>(current_);
    }
    Block& b = blocks_[block];
    size_t offset = b.used;
    std::memcpy(b.bytes.get() + offset, text.data(), text.size());
    b.used += text.size();
    size_t length = isLong ? kLongLength : text.size();
    return (static_cast<uint64_t>(block + 1) << (kOffsetBits + kLengthBits)) |
           (static_cast<uint64_t>(offset) << kLengthBits) | length;
}

std::string_view TextArena::get(uint64_t handle) const {
    if (handle == 0) return {};
    const Block& b = blocks_[(handle >> (kOffsetBits + kLengthBits)) - 1];
    size_t length = handle & kLongLength;
    if (length == kLongLength) return {b.bytes.get(), b.used};
    return {b.bytes.get() + ((handle >> kLengthBits) & (kMaxBlockBytes - 1)), length};
}

}  // namespace pelorus
