// String arena: the bytes of STRING and BLOB values in append-only blocks, addressed by a 64-bit handle. Strings never
// move.
//
// A handle is block (24 bits), offset (20 bits) and length (20 bits); a longer string has a separate block, which
// stores its length. Handle 0 is the empty string, which is also the NULL of the type.
//
// One thread adds; others may concurrently read the strings whose handles they have. A directory of blocks that has
// become too small is replaced by one twice as large, and kept for its readers.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

namespace pelorus {

class StringArena {
public:
    StringArena() = default;
    StringArena(const StringArena&) = delete;
    StringArena& operator=(const StringArena&) = delete;

    uint64_t add(std::string_view string);
    std::string_view get(uint64_t handle) const;
    // Returns the length of a string, which is in the handle of all but long ones.
    size_t lengthOf(uint64_t handle) const;
    int64_t memoryBytes() const { return memoryBytes_.load(std::memory_order_relaxed); }

    // Returns whether so much was added that its owner should check how much of it is still in use, and drop the rest.
    bool isCheckDue() const { return memoryBytes() >= nextCheck_; }
    void looked() { nextCheck_ = std::max(nextCheck_, 2 * memoryBytes()); }

private:
    struct Block {
        char* bytes = nullptr;
        size_t longLength = 0;  // length of the one string that fills the block
    };
    size_t addBlock(size_t sizeBytes, size_t longLength);

    Block first_[2];  // the directory of small arenas
    std::atomic<Block*> directory_{first_};
    std::atomic<int64_t> memoryBytes_{0};
    // The fields below are used by the one thread that adds.
    std::vector<std::unique_ptr<Block[]>> larger_;
    std::vector<std::unique_ptr<char[]>> bytes_;
    size_t room_ = std::size(first_);  // size of the newest directory
    size_t current_ = 0, used_ = 0, currentBytes_ = 0;
    int64_t nextCheck_ = int64_t{1} << 20;
};

}  // namespace pelorus
