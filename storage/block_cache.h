// Decoded blocks that queries have read, least recently used first out, within a bound of memory. It gives back what
// others need when memory runs short.
//
// Thread-safe: cut into shards by key.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>

#include "runtime/memory/budget.h"
#include "runtime/value.h"

namespace pelorus {

class BlockCache {
public:
    // 0 takes a fifth of the memory that the process may use.
    explicit BlockCache(int64_t limitBytes);

    struct Key {
        uint64_t segment = 0;  // from newSegmentKey
        int32_t block = 0;
        int32_t column = 0;
        friend bool operator==(const Key&, const Key&) = default;
    };

    // A number that no segment of this process had before.
    static uint64_t newSegmentKey();

    // VOID when it is not there.
    Value find(const Key& key);
    void insert(const Key& key, const Value& items);
    void clear();
    // Drops the least recently used blocks, about so many bytes of them. Shards in use elsewhere are left out.
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
        Value items;
        int64_t sizeBytes = 0;
    };
    struct Shard {
        mutable std::mutex mutex;
        std::list<Entry> entries;  // most recently used first
        std::unordered_map<Key, std::list<Entry>::iterator, Hash> byKey;
        int64_t usedBytes = 0;
    };
    static constexpr size_t kShards = 16;

    int64_t limitBytes() const;
    // Moves blocks to `evicted` until the shard holds no more than `bytes`. REQUIRES: the shard's lock.
    void evict(Shard& shard, int64_t bytes, std::list<Entry>& evicted);

    Shard& shardOf(const Key& key) { return shards_[(Hash()(key) >> 8) % kShards]; }

    const int64_t limitBytes_;
    std::array<Shard, kShards> shards_;
    std::atomic<int64_t> usedBytes_{0};
    const memory::Cache cache_;
};

}  // namespace pelorus
