// What is known of regions by their keys: how many rows they have worked through, and their machine code. Bounded: what
// was used least lately goes, its code with the last run of it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/kernel/block/block_compiler.h"

namespace pelorus {

// Thread-safe.
class RegionCache {
public:
    // Memory of a region that is known, without its code, about.
    static constexpr int64_t kEntryBytes = 512;
    static constexpr size_t kShards = 16;

    // Each of the shards has its part of the room.
    explicit RegionCache(int64_t roomBytes) : shardBytes_(roomBytes / static_cast<int64_t>(kShards)) {}

    // The code, or null. `mustCompile` becomes true for the one caller that is to see to it: the first that finds that
    // the region has worked through `hotRows` rows, of which it adds `rows`.
    CompiledBlockRef find(std::string_view key, int64_t rows, int64_t hotRows, bool& mustCompile);
    void put(std::string_view key, CompiledBlockRef code, int64_t codeBytes);

    int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

private:
    struct Region {
        std::string key;
        int64_t rows = 0;
        bool asked = false;
        CompiledBlockRef code;
        int64_t bytes = kEntryBytes;
    };
    struct Shard {
        std::mutex mutex;           // of what follows
        std::list<Region> regions;  // what was used last stands first
        std::unordered_map<std::string_view, std::list<Region>::iterator> byKey;
        int64_t bytes = 0;
    };
    Shard& shardOf(std::string_view key) { return shards_[std::hash<std::string_view>()(key) % kShards]; }
    // With the shard's mutex held. The region stands first then. What goes is put into `gone`, whose code is freed
    // without the mutex: the compiler may be busy.
    Region& touch(Shard& shard, std::string_view key, std::list<Region>& gone);
    void add(Shard& shard, int64_t bytes, std::list<Region>& gone);

    const int64_t shardBytes_;
    std::array<Shard, kShards> shards_;
    std::atomic<int64_t> bytes_{0};
};

}  // namespace pelorus
