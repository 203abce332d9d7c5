// RegionCache maps the keys of regions to the number of rows they have processed and their machine code. It is bounded:
// the region that was used longest ago is evicted, and its code freed when the last run of it ends.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/thread/mutex.h"
#include "runtime/kernel/block/block_compiler.h"

namespace pelorus {

// A sharded cache with least-recently-used eviction per shard. Thread-safe.
class RegionCache {
public:
    // Approximate memory of a region without its code.
    static constexpr int64_t kEntryBytes = 512;
    static constexpr size_t kShards = 16;

    // Each of the shards gets an equal part of the capacity.
    explicit RegionCache(int64_t roomBytes) : shardBytes_(roomBytes / static_cast<int64_t>(kShards)) {}

    // Returns the code, or null, and adds `rows` to the region's count. `mustCompile` becomes true for the one caller
    // that has to compile it: the first that finds that the region has worked through `hotRows` rows.
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
        Mutex mutex;
        std::list<Region> regions GUARDED_BY(mutex);  // most recently used first
        std::unordered_map<std::string_view, std::list<Region>::iterator> byKey GUARDED_BY(mutex);
        int64_t bytes GUARDED_BY(mutex) = 0;
    };
    Shard& shardOf(std::string_view key) { return shards_[std::hash<std::string_view>()(key) % kShards]; }
    // Moves the region to the front. Evicted regions are put into `gone`, whose
    // code is freed without the mutex: the compiler may be busy.
    Region& touch(Shard& shard, std::string_view key, std::list<Region>& gone) EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);
    void add(Shard& shard, int64_t bytes, std::list<Region>& gone) EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);

    const int64_t shardBytes_;
    std::array<Shard, kShards> shards_;
    std::atomic<int64_t> bytes_{0};
};

}  // namespace pelorus
