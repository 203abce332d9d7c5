#include "runtime/memory/string_arena.h"

#include <algorithm>
#include <cstring>

#include "common/error.h"

namespace pelorus {

constexpr int kLengthBits = 20;
constexpr int kOffsetBits = 20;
constexpr size_t kMaxBlockBytes = size_t{1} << kOffsetBits;
constexpr size_t kLongLength = (size_t{1} << kLengthBits) - 1;  // the string fills its block
constexpr size_t kMaxBlocks = size_t{1} << 24;

static size_t blockOf(uint64_t handle) {
    return (handle >> (kOffsetBits + kLengthBits)) - 1;
}

size_t StringArena::addBlock(size_t sizeBytes, size_t longLength) {
    const size_t block = bytes_.size();
    if (block + 1 >= kMaxBlocks) throw SystemError("A string vector cannot hold more than 16 TB.");
    if (block == room_) {
        larger_.push_back(std::make_unique<Block[]>(2 * room_));
        std::copy_n(directory_.load(std::memory_order_relaxed), block, larger_.back().get());
        directory_.store(larger_.back().get(), std::memory_order_release);
        room_ *= 2;
    }
    // No thread has a handle of the block before it is published below.
    bytes_.push_back(std::make_unique<char[]>(sizeBytes));
    directory_.load(std::memory_order_relaxed)[block] = {bytes_.back().get(), longLength};
    memoryBytes_.store(memoryBytes() + static_cast<int64_t>(sizeBytes), std::memory_order_relaxed);
    return block;
}

uint64_t StringArena::add(std::string_view string) {
    if (string.empty()) return 0;
    const auto handle = [](size_t block, size_t offset, size_t length) {
        return (uint64_t{block + 1} << (kOffsetBits + kLengthBits)) | (uint64_t{offset} << kLengthBits) | length;
    };
    if (string.size() >= kMaxBlockBytes / 4) {
        const size_t block = addBlock(string.size(), string.size());
        std::memcpy(bytes_[block].get(), string.data(), string.size());
        return handle(block, 0, kLongLength);
    }
    if (used_ + string.size() > currentBytes_) {
        // Small vectors should not pay for a large block: blocks grow with the arena.
        const auto grown = static_cast<size_t>(std::max<int64_t>(256, memoryBytes()));
        const size_t size = std::max(std::min(kMaxBlockBytes, grown), string.size());
        current_ = addBlock(size, 0);
        currentBytes_ = size;
        used_ = 0;
    }
    const size_t offset = used_;
    std::memcpy(bytes_[current_].get() + offset, string.data(), string.size());
    used_ += string.size();
    return handle(current_, offset, string.size());
}

std::string_view StringArena::get(uint64_t handle) const {
    if (handle == 0) return {};
    const Block& block = directory_.load(std::memory_order_acquire)[blockOf(handle)];
    const size_t length = handle & kLongLength;
    if (length == kLongLength) return {block.bytes, block.longLength};
    return {block.bytes + ((handle >> kLengthBits) & (kMaxBlockBytes - 1)), length};
}

size_t StringArena::lengthOf(uint64_t handle) const {
    const size_t length = handle & kLongLength;
    return length == kLongLength ? get(handle).size() : length;
}

}  // namespace pelorus
