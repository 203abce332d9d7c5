// Caches decoded blocks that queries have read more than once, within a bound of memory.
//
// A block is admitted when it is read for the second time: a scan that exceeds the cache, or that nobody repeats,
// evicts nothing and needs memory only for its current blocks, which stay in the processor's caches. First reads are
// remembered as in the queue A1out of 2Q (Johnson and Shasha, VLDB 1994).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/memory/budget.h"
#include "runtime/value/value.h"

namespace pelorus {

// An LRU cache of decoded blocks. StorageParts owns one for all segments of a data folder. It shrinks when others need
// memory. Thread-safe: divided into shards by key, each with a mutex.
class BlockCache {
public:
    // `limitBytes`: the bound of memory; 0: a fifth of the memory that the process may use.
    explicit BlockCache(int64_t limitBytes);

    struct Key {
        uint64_t segment = 0;  // from newSegmentKey
        int32_t block = 0;
        int32_t column = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };

    // Returns a number that no segment of this process had before.
    static uint64_t newSegmentKey();

    // Returns the values of a block, which are never changed in place; VOID when the cache does not have it.
    Value find(const Key& key);
    // Keeps the values, which were just read, when the key was here before; returns whether it kept them.
    bool offer(const Key& key, const Value& elements);
    // Drops the blocks 0 to `blocks` - 1 of a column.
    void forget(uint64_t segment, int blocks, int column);
    void clear();
    // Evicts the least recently used blocks, about so many bytes of them. Shards that are locked are skipped.
    void shrink(int64_t sizeBytes);

    int64_t usedBytes() const { return usedBytes_.load(std::memory_order_relaxed); }

private:
    struct Hash {
        size_t operator()(const Key& key) const {
            return (key.segment * 0x9E3779B97F4A7C15u) ^
                   ((static_cast<uint64_t>(static_cast<uint32_t>(key.block)) << 20) +
                    static_cast<uint64_t>(static_cast<uint32_t>(key.column))) *
                       0xC2B2AE3D27D4EB4Fu;
        }
    };
    struct Entry {
        Key key;
        Value elements;
        int64_t sizeBytes = 0;
    };
    // Recently read keys, by their hashes; a new one replaces an old one in its set of four.
    class RecentKeys {
    public:
        // Returns whether the key is among them; adds it.
        bool meets(uint64_t hash);
        void clear() { sets_.clear(); }

    private:
        static constexpr size_t kSets = 4096;  // with all shards, blocks of 17 billion values
        using Set = std::array<uint64_t, 4>;   // the newest first; 0 for none
        std::vector<Set> sets_;                // made when the first key comes
    };
    struct Shard {
        mutable Mutex mutex;
        std::list<Entry> entries GUARDED_BY(mutex);  // most recently used first
        std::unordered_map<Key, std::list<Entry>::iterator, Hash> byKey GUARDED_BY(mutex);
        int64_t usedBytes GUARDED_BY(mutex) = 0;
        RecentKeys recent GUARDED_BY(mutex);
    };
    static constexpr size_t kShards = 16;

    int64_t limitBytes() const;
    // Moves blocks to `evicted` until the shard holds no more than `bytes`.
    void evict(Shard& shard, int64_t bytes, std::list<Entry>& evicted) EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);

    Shard& shardOf(const Key& key) { return shards_[(Hash()(key) >> 8) % kShards]; }

    const int64_t limitBytes_;
    std::array<Shard, kShards> shards_;
    std::atomic<int64_t> usedBytes_{0};
    const memory::Cache cache_;
};

}  // namespace pelorus
