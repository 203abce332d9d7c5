#include "storage/block_cache.h"

#include <atomic>

#include "runtime/array_vector.h"

namespace pelorus {

uint64_t BlockCache::newSegmentKey() {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

static int64_t bytesOf(const Value& items) {
    if (!items.isArrayVector()) return items.vector().memoryBytes();
    const ArrayVector& rows = items.arrayVector();
    return rows.values()->memoryBytes() + rows.size() * static_cast<int64_t>(sizeof(int32_t));
}

Value BlockCache::find(const Key& key) {
    Shard& shard = shardOf(key);
    const std::lock_guard guard(shard.mutex);
    auto it = shard.byKey.find(key);
    if (it == shard.byKey.end()) return {};
    shard.entries.splice(shard.entries.begin(), shard.entries, it->second);
    return it->second->items;
}

void BlockCache::insert(const Key& key, const Value& items) {
    Shard& shard = shardOf(key);
    const int64_t sizeBytes = bytesOf(items) + 128;
    const int64_t limit = limitBytes_ / static_cast<int64_t>(kShards);
    if (sizeBytes > limit) return;
    // What is dropped is freed after the lock.
    std::list<Entry> evicted;
    const std::lock_guard guard(shard.mutex);
    if (shard.byKey.count(key) != 0) return;
    shard.entries.push_front({key, items, sizeBytes});
    shard.byKey[key] = shard.entries.begin();
    shard.usedBytes += sizeBytes;
    while (shard.usedBytes > limit) {
        const Entry& last = shard.entries.back();
        shard.usedBytes -= last.sizeBytes;
        shard.byKey.erase(last.key);
        evicted.splice(evicted.begin(), shard.entries, std::prev(shard.entries.end()));
    }
}

void BlockCache::clear() {
    for (Shard& shard : shards_) {
        std::list<Entry> dropped;
        const std::lock_guard guard(shard.mutex);
        dropped.swap(shard.entries);
        shard.byKey.clear();
        shard.usedBytes = 0;
    }
}

int64_t BlockCache::usedBytes() const {
    int64_t total = 0;
    for (const Shard& shard : shards_) {
        const std::lock_guard guard(shard.mutex);
        total += shard.usedBytes;
    }
    return total;
}

}  // namespace pelorus
