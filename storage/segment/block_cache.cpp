#include "storage/segment/block_cache.h"

#include <algorithm>
#include <atomic>

#include "common/check.h"
#include "runtime/value/array_vector.h"

namespace pelorus {

BlockCache::BlockCache(int64_t limitBytes)
    : limitBytes_(limitBytes), cache_([this] { return usedBytes(); }, [this](int64_t bytes) { shrink(bytes); }) {}

int64_t BlockCache::limitBytes() const {
    if (limitBytes_ > 0) return limitBytes_;
    const int64_t ofProcess = memory::limitBytes();
    return ofProcess > 0 ? ofProcess / 5 : INT64_MAX;
}

uint64_t BlockCache::newSegmentKey() {
    static std::atomic<uint64_t> last{0};
    return last.fetch_add(1) + 1;
}

static int64_t bytesOf(const Value& elements) {
    if (!elements.isArrayVector()) return elements.vector().memoryBytes();
    const ArrayVector& rows = elements.arrayVector();
    return rows.values()->memoryBytes() + rows.size() * static_cast<int64_t>(sizeof(int32_t));
}

Value BlockCache::find(const Key& key) {
    Shard& shard = shardOf(key);
    const MutexLock guard(shard.mutex);
    auto it = shard.byKey.find(key);
    if (it == shard.byKey.end()) return {};
    CHECK(it->second->key == key) << "a key leads to its entry";
    shard.entries.splice(shard.entries.begin(), shard.entries, it->second);
    return it->second->elements;
}

bool BlockCache::RecentKeys::meets(uint64_t hash) {
    if (sets_.empty()) sets_.resize(kSets);
    hash |= 1;  // never 0
    Set& set = sets_[(hash >> 32) % kSets];
    const auto found = std::find(set.begin(), set.end(), hash);
    const bool met = found != set.end();
    std::rotate(set.begin(), met ? found : set.end() - 1, met ? found + 1 : set.end());
    set[0] = hash;
    return met;
}

bool BlockCache::offer(const Key& key, const Value& elements) {
    Shard& shard = shardOf(key);
    const int64_t sizeBytes = bytesOf(elements) + 128;
    const int64_t limit = limitBytes() / static_cast<int64_t>(kShards);
    if (sizeBytes > limit) return false;
    // Evicted blocks are freed after the lock.
    std::list<Entry> evicted;
    const MutexLock guard(shard.mutex);
    if (!shard.recent.meets(Hash()(key)) || shard.byKey.count(key) != 0) return false;
    shard.entries.push_front({key, elements, sizeBytes});
    shard.byKey[key] = shard.entries.begin();
    shard.usedBytes += sizeBytes;
    usedBytes_ += sizeBytes;
    evict(shard, limit, evicted);
    return true;
}

void BlockCache::forget(uint64_t segment, int blocks, int column) {
    for (int block = 0; block < blocks; ++block) {
        const Key key{segment, block, column};
        Shard& shard = shardOf(key);
        std::list<Entry> dropped;  // freed after the lock
        const MutexLock guard(shard.mutex);
        const auto it = shard.byKey.find(key);
        if (it == shard.byKey.end()) continue;
        shard.usedBytes -= it->second->sizeBytes;
        usedBytes_ -= it->second->sizeBytes;
        dropped.splice(dropped.begin(), shard.entries, it->second);
        shard.byKey.erase(it);
        CHECK(shard.byKey.size() == shard.entries.size()) << "each entry is found by its key";
    }
}

void BlockCache::evict(Shard& shard, int64_t bytes, std::list<Entry>& evicted) {
    while (shard.usedBytes > bytes) {
        CHECK(!shard.entries.empty()) << "a shard that uses bytes holds entries";
        const Entry& last = shard.entries.back();
        shard.usedBytes -= last.sizeBytes;
        usedBytes_ -= last.sizeBytes;
        shard.byKey.erase(last.key);
        evicted.splice(evicted.begin(), shard.entries, std::prev(shard.entries.end()));
    }
    CHECK(shard.usedBytes >= 0) << "a shard gives back what it took";
    CHECK(shard.entries.empty() == (shard.usedBytes == 0)) << "the bytes of a shard are those of its entries";
    CHECK(shard.byKey.size() == shard.entries.size()) << "each entry is found by its key";
}

void BlockCache::shrink(int64_t sizeBytes) {
    const int64_t perShard = sizeBytes / static_cast<int64_t>(kShards) + 1;
    for (Shard& shard : shards_) {
        std::list<Entry> evicted;
        if (!shard.mutex.try_lock()) continue;
        const MutexLock lock(shard.mutex, std::adopt_lock);
        evict(shard, std::max<int64_t>(0, shard.usedBytes - perShard), evicted);
    }
}

void BlockCache::clear() {
    for (Shard& shard : shards_) {
        std::list<Entry> dropped;
        const MutexLock guard(shard.mutex);
        evict(shard, 0, dropped);
        shard.recent.clear();
    }
}

}  // namespace pelorus
