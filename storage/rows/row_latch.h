// A latch for pages and indexes of row tables: many readers or one writer, held for microseconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "common/thread/mutex.h"

namespace pelorus {

// A latch of eight bytes in which waiting writers go before later readers: with the system's lock, readers that follow
// each other would starve them. Who waits spins and yields, so no holder may block on anything but a latch further down
// in the order index, page. Thread-safe.
class PELORUS_THREAD_ATTRIBUTE(capability("latch")) RowLatch {
public:
    void lock() PELORUS_THREAD_ATTRIBUTE(acquire_capability()) {
        waitingWriters_.fetch_add(1, std::memory_order_relaxed);
        uint32_t free = 0;
        while (!holders_.compare_exchange_weak(free, kWriter, std::memory_order_acquire)) {
            free = 0;
            std::this_thread::yield();
        }
        waitingWriters_.fetch_sub(1, std::memory_order_relaxed);
    }
    void unlock() PELORUS_THREAD_ATTRIBUTE(release_capability()) { holders_.store(0, std::memory_order_release); }
    void lock_shared() PELORUS_THREAD_ATTRIBUTE(acquire_shared_capability()) {
        for (;;) {
            uint32_t readers = holders_.load(std::memory_order_relaxed);
            if (readers < kWriter && waitingWriters_.load(std::memory_order_relaxed) == 0 &&
                holders_.compare_exchange_weak(readers, readers + 1, std::memory_order_acquire))
                return;
            std::this_thread::yield();
        }
    }
    void unlock_shared() PELORUS_THREAD_ATTRIBUTE(release_shared_capability()) {
        holders_.fetch_sub(1, std::memory_order_release);
    }

private:
    static constexpr uint32_t kWriter = 1u << 31;
    std::atomic<uint32_t> waitingWriters_{0};
    std::atomic<uint32_t> holders_{0};  // number of readers, or kWriter
};

// Holds a latch for writing until the end of the block.
class PELORUS_THREAD_ATTRIBUTE(scoped_lockable) LatchWriter {
public:
    explicit LatchWriter(RowLatch& latch) PELORUS_THREAD_ATTRIBUTE(acquire_capability(latch)) : latch_(latch) {
        latch_.lock();
    }
    ~LatchWriter() PELORUS_THREAD_ATTRIBUTE(release_capability()) { latch_.unlock(); }
    LatchWriter(const LatchWriter&) = delete;
    LatchWriter& operator=(const LatchWriter&) = delete;

private:
    RowLatch& latch_;
};

// Holds a latch for reading until the end of the block.
class PELORUS_THREAD_ATTRIBUTE(scoped_lockable) LatchReader {
public:
    explicit LatchReader(RowLatch& latch) PELORUS_THREAD_ATTRIBUTE(acquire_shared_capability(latch)) : latch_(latch) {
        latch_.lock_shared();
    }
    ~LatchReader() PELORUS_THREAD_ATTRIBUTE(release_capability()) { latch_.unlock_shared(); }
    LatchReader(const LatchReader&) = delete;
    LatchReader& operator=(const LatchReader&) = delete;

private:
    RowLatch& latch_;
};

}  // namespace pelorus
