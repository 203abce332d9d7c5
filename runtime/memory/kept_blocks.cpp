#include "runtime/memory/kept_blocks.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "common/check.h"
#include "runtime/memory/arena_tops.h"

namespace pelorus::memory {

namespace {

struct AllKept {
    Mutex mutex;
    std::list<KeptBlocks*> all GUARDED_BY(mutex);
};

// Never deleted: blocks may be freed while the process ends.
AllKept& allKept() {
    static auto* known = new AllKept;
    return *known;
}

}  // namespace

KeptBlocks::KeptBlocks(size_t mostBytes, void (*giveBack)(char* block, size_t bytes))
    : mostBytes_(mostBytes), giveBack_(giveBack), cache_([this] { return keptBytes(); }, [this](int64_t) { clear(); }) {
    AllKept& known = allKept();
    const MutexLock lock(known.mutex);
    known.all.push_back(this);
}

KeptBlocks::~KeptBlocks() {
    AllKept& known = allKept();
    const MutexLock lock(known.mutex);
    known.all.remove(this);
}

char* KeptBlocks::take(size_t& bytes) {
    const MutexLock lock(mutex_);
    const auto smallest = bySize_.lower_bound(bytes);
    if (smallest == bySize_.end() || smallest->first > bytes + bytes / 8) return nullptr;
    bytes = smallest->first;
    const auto it = std::prev(bySize_.upper_bound(bytes));  // the one kept last, which caches may still hold
    char* const block = it->second->block;
    CHECK(kept_ >= bytes) << "kept bytes are the sum of the kept blocks";
    kept_ -= bytes;
    byAge_.erase(it->second);
    bySize_.erase(it);
    return block;
}

bool KeptBlocks::keep(char* block, size_t bytes) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    (void)block, (void)bytes;
    return false;  // a block that is used after it was freed must be noticed
#else
    const int64_t limit = limitBytes();
    const size_t most = limit > 0 ? std::min(mostBytes_, static_cast<size_t>(limit) / 16) : mostBytes_;
    if (bytes > most || (limit > 0 && usedBytes() > limit - limit / 8)) return false;
    std::list<Kept> gone;
    try {
        std::list<Kept> added{{block, bytes, 0, {}}};
        const MutexLock lock(mutex_);
        added.front().look = looks_;
        added.front().place = bySize_.emplace(bytes, added.begin());
        byAge_.splice(byAge_.end(), added);
        kept_ += bytes;
        while (kept_ > most) {
            CHECK_FATAL(!byAge_.empty()) << "kept bytes are of kept blocks";
            kept_ -= byAge_.front().bytes;
            bySize_.erase(byAge_.front().place);
            gone.splice(gone.end(), byAge_, byAge_.begin());
        }
    } catch (...) {
        return false;  // there was no memory to write it down
    }
    free(gone);
    return true;
#endif
}

void KeptBlocks::clear() {
    std::list<Kept> gone;
    {
        const MutexLock lock(mutex_);
        gone.swap(byAge_);
        bySize_.clear();
        kept_ = 0;
    }
    free(gone);
}

void KeptBlocks::clearUnused() {
    std::list<Kept> gone;
    {
        const MutexLock lock(mutex_);
        while (!byAge_.empty() && byAge_.front().look + 1 <= looks_) {
            kept_ -= byAge_.front().bytes;
            bySize_.erase(byAge_.front().place);
            gone.splice(gone.end(), byAge_, byAge_.begin());
        }
        ++looks_;
    }
    free(gone);
}

void giveBackUnused() {
    // The number of unused bytes of the process from which on a walk through the heaps is worth its time.
    constexpr int64_t kWorthBytes = int64_t{32} << 20;
    // Walks take at most this part of the time: large heaps, of which nothing can be given back, are not walked again
    // and again.
    constexpr int kPartOfTime = 50;
    using Clock = std::chrono::steady_clock;
    AllKept& known = allKept();
    const MutexLock lock(known.mutex);
    for (KeptBlocks* kept : known.all) kept->clearUnused();
    static Clock::time_point next;  // guarded by that mutex
    const Clock::time_point begin = Clock::now();
    if (begin < next || residentBytes() - usedBytes() < kWorthBytes) return;
    ::malloc_trim(0);
    trimArenaTops();
    const Clock::time_point end = Clock::now();
    next = end + (end - begin) * kPartOfTime;
}

int64_t KeptBlocks::keptBytes() const {
    const MutexLock lock(mutex_);
    return static_cast<int64_t>(kept_);
}

void KeptBlocks::free(const std::list<Kept>& blocks) const {
    for (const Kept& kept : blocks) {
        giveBack_(kept.block, kept.bytes);
        discharge(static_cast<int64_t>(kept.bytes));
    }
}

KeptBlocks& keptLargeBlocks() {
    // Never deleted: blocks may be freed while the process ends.
    static KeptBlocks* blocks = new KeptBlocks(size_t{512} << 20, [](char* block, size_t) { std::free(block); });
    return *blocks;
}

char* newLargeBlock(size_t bytes) {
    void* block = nullptr;
    if (::posix_memalign(&block, kHugePageBytes, bytes) != 0) return nullptr;
    ::madvise(block, bytes, MADV_HUGEPAGE);
    return static_cast<char*>(block);
}

}  // namespace pelorus::memory
