#include "storage/commit/chunk_locks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/check.h"

namespace pelorus {

static constexpr auto kPollInterval = std::chrono::milliseconds(100);

ChunkIsBusy::ChunkIsBusy()
    : SystemError("Another transaction holds a partition and has not ended yet.", "Try again.", true) {}

ChunkLocks::Hold::Hold(ChunkLocks& locks, std::vector<uint64_t> chunks, bool exclusive,
                       std::chrono::milliseconds timeout)
    : locks_(locks), chunks_(std::move(chunks)), exclusive_(exclusive) {
    DCHECK(std::is_sorted(chunks_.begin(), chunks_.end())) << "the chunks of a hold ascend";
    locks_.lock(chunks_, exclusive_, timeout);
}

ChunkLocks::Hold::~Hold() {
    if (!isKept_) locks_.unlock(chunks_, exclusive_);
}

void ChunkLocks::Hold::share() {
    if (std::exchange(exclusive_, false)) locks_.share(chunks_);
}

void ChunkLocks::Hold::keep(const std::vector<uint64_t>& chunks) {
    isKept_ = true;
    std::vector<uint64_t> others;
    std::set_difference(chunks_.begin(), chunks_.end(), chunks.begin(), chunks.end(), std::back_inserter(others));
    if (!others.empty()) locks_.unlock(others, exclusive_);
}

bool ChunkLocks::isFree(const std::vector<uint64_t>& chunks, bool exclusive, uint64_t turn) const {
    return std::all_of(chunks.begin(), chunks.end(), [&](uint64_t chunk) EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        const auto found = locks_.find(chunk);
        if (found == locks_.end()) return true;
        const Lock& lock = found->second;
        if (lock.isChanging || (exclusive && lock.appends > 0)) return false;
        // A caller waits for earlier ones that conflict with it, so that changes get through a stream of appends.
        return std::none_of(lock.waiting.begin(), lock.waiting.lower_bound(turn),
                            [&](const auto& earlier) { return exclusive || earlier.second; });
    });
}

void ChunkLocks::lock(const std::vector<uint64_t>& chunks, bool exclusive, std::chrono::milliseconds timeout) {
    MutexLock guard(mutex_);
    const uint64_t turn = ++lastTurn_;
    if (!isFree(chunks, exclusive, turn)) {
        for (const uint64_t chunk : chunks) locks_[chunk].waiting.emplace(turn, exclusive);
        const auto deadline = std::chrono::steady_clock::now() + timeout;
        bool free = false;
        while (!free && isLogSound_() && std::chrono::steady_clock::now() < deadline) {
            changed_.waitFor(guard, kPollInterval);
            free = isFree(chunks, exclusive, turn);
        }
        for (const uint64_t chunk : chunks) locks_[chunk].waiting.erase(turn);
        if (!free) {
            std::erase_if(locks_, [](const auto& lock) { return lock.second.isAtRest(); });
            guard.unlock();
            changed_.notifyAll();
            throw ChunkIsBusy();
        }
    }
    for (const uint64_t chunk : chunks) {
        Lock& lock = locks_[chunk];
        CHECK(!lock.isChanging && !(exclusive && lock.appends > 0)) << "a chunk is locked when it is free";
        if (exclusive)
            lock.isChanging = true;
        else
            ++lock.appends;
    }
}

void ChunkLocks::share(const std::vector<uint64_t>& chunks) {
    {
        const MutexLock guard(mutex_);
        for (const uint64_t chunk : chunks) {
            Lock& lock = locks_[chunk];
            lock.isChanging = false;
            ++lock.appends;
        }
    }
    changed_.notifyAll();
}

void ChunkLocks::unlock(const std::vector<uint64_t>& chunks, bool exclusive) {
    {
        const MutexLock guard(mutex_);
        for (const uint64_t chunk : chunks) {
            const auto found = locks_.find(chunk);
            if (found == locks_.end()) continue;
            Lock& lock = found->second;
            if (exclusive) {
                lock.isChanging = false;
            } else {
                CHECK_FATAL(lock.appends > 0) << "a shared lock of a chunk is released once";
                --lock.appends;
            }
            if (lock.isAtRest()) locks_.erase(found);
        }
    }
    changed_.notifyAll();
}

void ChunkLocks::lockRecovered(const std::vector<uint64_t>& chunks, bool exclusive) {
    const MutexLock guard(mutex_);
    for (const uint64_t chunk : chunks) {
        if (exclusive)
            locks_[chunk].isChanging = true;
        else
            ++locks_[chunk].appends;
    }
}

bool ChunkLocks::isChanging(uint64_t chunk) const {
    const MutexLock guard(mutex_);
    const auto found = locks_.find(chunk);
    return found != locks_.end() && found->second.isChanging;
}

bool ChunkLocks::isLocked(uint64_t chunk) const {
    const MutexLock guard(mutex_);
    return locks_.count(chunk) != 0;
}

}  // namespace pelorus
