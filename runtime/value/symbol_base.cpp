#include "runtime/value/symbol_base.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/thread/work_arena.h"
#include "runtime/memory/budget.h"

namespace pelorus::symbols {

namespace {

// Strings are found by code without a lock: they are stored in chunks of doubling size that never move.
constexpr int kFirstChunkBits = 10;
constexpr int kChunks = 22;

class Base {
public:
    Base() {
        slots_.assign(1 << 12, 0);
        addLocked("", hash(""));
    }

    int32_t intern(std::string_view string) {
        uint64_t h = hash(string);
        {
            const ReaderLock lock(mutex_);
            int32_t code = lookup(string, h);
            if (code >= 0) return code;
        }
        const WriterLock lock(mutex_);
        int32_t code = lookup(string, h);
        return code >= 0 ? code : addLocked(string, h);
    }

    int32_t find(std::string_view string) {
        const ReaderLock lock(mutex_);
        return lookup(string, hash(string));
    }

    std::string_view string(int32_t code) const {
        auto [chunk, offset] = locate(static_cast<uint32_t>(code));
        return chunks_[chunk].load(std::memory_order_acquire)[offset];
    }

    int32_t count() const { return count_.load(std::memory_order_acquire); }

    std::shared_ptr<const std::vector<int32_t>> ranks() {
        const MutexLock lock(ranksMutex_);
        int32_t n = count();
        if (ranks_ && static_cast<int32_t>(ranks_->size()) == n) return ranks_;
        std::vector<int32_t> order(static_cast<size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return string(a) < string(b); });
        auto ranks = std::make_shared<std::vector<int32_t>>(order.size());
        for (size_t i = 0; i < order.size(); ++i) (*ranks)[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
        ranks_ = std::move(ranks);
        return ranks_;
    }

private:
    static uint64_t hash(std::string_view string) { return XXH3_64bits(string.data(), string.size()); }

    static std::pair<int, uint32_t> locate(uint32_t code) {
        uint32_t shifted = code + (1u << kFirstChunkBits);
        int top = 31 - __builtin_clz(shifted);
        return {top - kFirstChunkBits, shifted - (1u << top)};
    }

    int32_t lookup(std::string_view string, uint64_t h) const SHARED_LOCKS_REQUIRED(mutex_) {
        size_t mask = slots_.size() - 1;
        for (size_t i = h & mask;; i = (i + 1) & mask) {
            int32_t slot = slots_[i];
            if (slot == 0) return -1;
            if (hashes_[static_cast<size_t>(slot - 1)] == h && this->string(slot - 1) == string) return slot - 1;
        }
    }

    int32_t addLocked(std::string_view string, uint64_t h) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        int32_t code = count_.load(std::memory_order_relaxed);
        requireShare(string);
        if (code == INT32_MAX) throw SystemError("The process cannot hold more than 2^31 distinct symbols.");
        auto [chunk, offset] = locate(static_cast<uint32_t>(code));
        if (!chunks_[chunk].load(std::memory_order_relaxed)) {
            owned_[static_cast<size_t>(chunk)] =
                std::make_unique<std::string_view[]>(size_t{1} << (chunk + kFirstChunkBits));
            chunks_[chunk].store(owned_[static_cast<size_t>(chunk)].get(), std::memory_order_release);
        }
        chunks_[chunk].load(std::memory_order_relaxed)[offset] = store(string);
        hashes_.push_back(h);
        count_.store(code + 1, std::memory_order_release);
        if (hashes_.size() * 2 > slots_.size()) {
            std::vector<int32_t> slots(slots_.size() * 2, 0);
            for (size_t c = 0; c + 1 < hashes_.size(); ++c) place(slots, hashes_[c], static_cast<int32_t>(c + 1));
            slots_ = std::move(slots);
        }
        place(slots_, h, code + 1);
        return code;
    }

    // Symbols stay as long as the process: those that a user's requests make first are bounded.
    static void requireShare(std::string_view string) {
        constexpr int64_t kBytesAround = 40;  // place, hash and slot of the string
        constexpr int64_t kUsersPart = 16;    // fraction of the memory that the process may take
        const WorkArena* arena = WorkArena::ofThread();
        LastingShare* share = arena ? arena->lastingShare() : nullptr;
        const int64_t limit = memory::limitBytes();
        if (!share || limit <= 0) return;
        if (share->take(static_cast<int64_t>(string.size()) + kBytesAround, limit / kUsersPart)) return;
        throw memory::OutOfMemory("You have made as many new symbols as one user may: they stay until the node ends.",
                                  "Use STRING for texts of which most are different.");
    }

    static void place(std::vector<int32_t>& slots, uint64_t h, int32_t slot) {
        size_t mask = slots.size() - 1;
        size_t i = h & mask;
        while (slots[i] != 0) i = (i + 1) & mask;
        slots[i] = slot;
    }

    std::string_view store(std::string_view string) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        if (string.empty()) return {};
        if (used_ + string.size() > blockBytes_) {
            blockBytes_ = std::max<size_t>(1 << 16, string.size());
            blocks_.push_back(std::make_unique<char[]>(blockBytes_));
            used_ = 0;
        }
        char* target = blocks_.back().get() + used_;
        std::memcpy(target, string.data(), string.size());
        used_ += string.size();
        return {target, string.size()};
    }

    mutable SharedMutex mutex_;
    std::vector<int32_t> slots_ GUARDED_BY(mutex_);  // code + 1; 0 is free
    std::vector<uint64_t> hashes_ GUARDED_BY(mutex_);
    std::vector<std::unique_ptr<char[]>> blocks_ GUARDED_BY(mutex_);
    size_t blockBytes_ GUARDED_BY(mutex_) = 0;
    size_t used_ GUARDED_BY(mutex_) = 0;
    std::array<std::unique_ptr<std::string_view[]>, kChunks> owned_ GUARDED_BY(mutex_);
    // Written under mutex_, read without it: a chunk is published before count_ covers it.
    std::array<std::atomic<std::string_view*>, kChunks> chunks_{};
    std::atomic<int32_t> count_{0};
    Mutex ranksMutex_;
    std::shared_ptr<const std::vector<int32_t>> ranks_ GUARDED_BY(ranksMutex_);
};

Base& base() {
    static Base* instance = new Base;  // outlives every static that may hold symbols
    return *instance;
}

}  // namespace

int32_t intern(std::string_view string) {
    return base().intern(string);
}
int32_t find(std::string_view string) {
    return base().find(string);
}
std::string_view string(int32_t code) {
    return base().string(code);
}
int32_t count() {
    return base().count();
}
std::shared_ptr<const std::vector<int32_t>> ranks() {
    return base().ranks();
}

}  // namespace pelorus::symbols
