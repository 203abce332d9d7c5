// The bytes of STRING and BLOB items: append-only blocks, addressed by a 64-bit handle.
//
// A handle is block (24 bits), offset (20 bits) and length (20 bits); longer texts have a block of their own, whose
// length is kept beside it. Handle 0 is the empty string, which is also the NULL of the type.
//
// Not thread-safe for writing. Reading what was appended before is safe while others append to their own arenas.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace pelorus {

class TextArena {
public:
    uint64_t add(std::string_view text);
    std::string_view get(uint64_t handle) const;
    int64_t memoryBytes() const { return memoryBytes_; }

private:
    struct Block {
        std::unique_ptr<char[]> bytes;
        size_t sizeBytes = 0;
        size_t used = 0;
    };
    std::vector<Block> blocks_;
    int32_t current_ = -1;
    int64_t memoryBytes_ = 0;
};

}  // namespace pelorus
