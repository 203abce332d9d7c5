// Decoded blocks that queries have read, least recently used first out, within a bound of memory.
//
// Thread-safe: cut into shards by key.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>

#include "runtime/value.h"

namespace pelorus {

class BlockCache {
public:
    explicit BlockCache(int64_t limitBytes) : limitBytes_(limitBytes) {}

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

    int64_t usedBytes() const;

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

    Shard& shardOf(const Key& key) { return shards_[(Hash()(key) >> 8) % kShards]; }

    const int64_t limitBytes_;
    std::array<Shard, kShards> shards_;
};

}  // namespace pelorus
