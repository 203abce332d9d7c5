#include "interpreter/codegen/region_cache.h"

#include "common/check.h"

namespace pelorus {

void RegionCache::add(Shard& shard, int64_t bytes, std::list<Region>& gone) {
    shard.bytes += bytes;
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    // The newest entry stays, however large it is.
    while (shard.bytes > shardBytes_ && shard.regions.size() > 1) {
        const Region& oldest = shard.regions.back();
        shard.bytes -= oldest.bytes;
        bytes_.fetch_sub(oldest.bytes, std::memory_order_relaxed);
        shard.byKey.erase(oldest.key);
        gone.splice(gone.end(), shard.regions, std::prev(shard.regions.end()));
    }
}

RegionCache::Region& RegionCache::touch(Shard& shard, std::string_view key, std::list<Region>& gone) {
    DCHECK(shard.byKey.size() == shard.regions.size()) << "each region is found by its key";
    const auto known = shard.byKey.find(key);
    if (known != shard.byKey.end()) {
        shard.regions.splice(shard.regions.begin(), shard.regions, known->second);
        return shard.regions.front();
    }
    shard.regions.emplace_front();
    shard.regions.front().key = key;
    shard.byKey[shard.regions.front().key] = shard.regions.begin();
    add(shard, kEntryBytes, gone);
    return shard.regions.front();
}

CompiledBlockRef RegionCache::find(std::string_view key, int64_t rows, int64_t hotRows, bool& mustCompile) {
    Shard& shard = shardOf(key);
    std::list<Region> gone;
    const MutexLock lock(shard.mutex);
    Region& region = touch(shard, key, gone);
    if (region.code) return region.code;
    region.rows += rows;
    mustCompile = !region.asked && region.rows >= hotRows;
    region.asked = region.asked || mustCompile;
    return nullptr;
}

void RegionCache::put(std::string_view key, CompiledBlockRef code, int64_t codeBytes) {
    Shard& shard = shardOf(key);
    std::list<Region> gone;
    const MutexLock lock(shard.mutex);
    Region& region = touch(shard, key, gone);
    region.asked = true;
    region.code = std::move(code);
    region.bytes += codeBytes;
    add(shard, codeBytes, gone);
}

}  // namespace pelorus
