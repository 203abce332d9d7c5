// Registers the chunks that appends are writing, for clients that want a second append to the same chunk refused
// instead of queued (setting appendConflict=fail).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pelorus {

// A claim on the chunks of one append, as long as it lives. CatalogTable makes one for each append where the setting
// asks for it. Claims are those of this process, not of other nodes. The registry is thread-safe; a claim is not
// shared.
class ChunkClaim {
public:
    // Claims all the chunks, or none: throws SystemError (retryable) with the words that clients look for when another
    // append has one of them. `shown` converts a path to its form in messages.
    template <class Shown>
    ChunkClaim(uint64_t table, std::vector<std::string> paths, Shown shown) : table_(table), paths_(std::move(paths)) {
        if (const Taken taken = take(); taken.index < paths_.size()) refuse(shown(paths_[taken.index]), taken.by);
    }
    ~ChunkClaim();
    ChunkClaim(const ChunkClaim&) = delete;
    ChunkClaim& operator=(const ChunkClaim&) = delete;

private:
    struct Taken {
        size_t index;
        uint64_t by;
    };
    Taken take();
    [[noreturn]] static void refuse(const std::string& path, uint64_t by);

    uint64_t table_;
    std::vector<std::string> paths_;
};

}  // namespace pelorus
