// Mutexes keep others out while they are held, and a condition variable wakes its waiters, or times out. The attributes
// are checked by clang, when the long checks compile the tree.
#include "common/thread/mutex.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

using namespace pelorus;
using namespace std::chrono_literals;

namespace {

struct Guarded {
    Mutex mutex;
    CondVar changed;
    int64_t value GUARDED_BY(mutex) = 0;
};

// Whether another thread could have the mutex for itself now: one that holds it must not try.
template <class AnyMutex>
bool isFree(AnyMutex& mutex) {
    bool taken = false;
    std::thread([&] {
        if (!mutex.try_lock()) return;
        taken = true;
        mutex.unlock();
    }).join();
    return taken;
}

}  // namespace

TEST_CASE("a mutex lets one thread at a time touch what it guards") {
    Guarded counter;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 10000; ++i) {
                const MutexLock lock(counter.mutex);
                ++counter.value;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    const MutexLock lock(counter.mutex);
    CHECK(counter.value == 40000);
}

TEST_CASE("a lock holds its mutex to the end of the block, and may let go of it in between") {
    Mutex mutex;
    {
        MutexLock lock(mutex);
        CHECK(!isFree(mutex));
        lock.unlock();
        CHECK(isFree(mutex));
        lock.lock();
        CHECK(!isFree(mutex));
    }
    CHECK(isFree(mutex));
    {
        MutexLock lock(mutex);
        lock.unlock();
    }
    CHECK(isFree(mutex));
}

TEST_CASE("a lock takes over a mutex that was locked by trying") {
    Mutex mutex;
    bool taken = false;
    if (mutex.try_lock()) {
        const MutexLock lock(mutex, std::adopt_lock);
        taken = true;
        CHECK(!isFree(mutex));
    }
    CHECK(taken);
    CHECK(isFree(mutex));
}

TEST_CASE("readers share a mutex, a writer has it alone") {
    SharedMutex mutex;
    {
        const ReaderLock first(mutex);
        bool bothRead = false;
        std::thread([&] {
            const ReaderLock second(mutex);
            bothRead = true;
        }).join();
        CHECK(bothRead);
        CHECK(!isFree(mutex));
    }
    {
        const WriterLock writer(mutex);
        CHECK(!isFree(mutex));
    }
    CHECK(isFree(mutex));
}

TEST_CASE("a recursive mutex is free after as many unlocks, and an optional lock without one locks nothing") {
    RecursiveMutex mutex;
    {
        const OptionalLock outer(&mutex);
        {
            const OptionalLock inner(&mutex);
            CHECK(!isFree(mutex));
        }
        CHECK(!isFree(mutex));
        const OptionalLock none(nullptr);
    }
    CHECK(isFree(mutex));
}

TEST_CASE("whoever waits is woken, and has the mutex again") {
    Guarded queue;
    std::vector<std::thread> waiters;
    for (int64_t wanted = 1; wanted <= 3; ++wanted) {
        waiters.emplace_back([&queue, wanted] {
            MutexLock lock(queue.mutex);
            while (queue.value < wanted) queue.changed.wait(lock);
            if (wanted == 3) queue.value = 10;
        });
    }
    for (int i = 0; i < 3; ++i) {
        {
            const MutexLock lock(queue.mutex);
            ++queue.value;
        }
        queue.changed.notifyAll();
    }
    for (std::thread& waiter : waiters) waiter.join();
    const MutexLock lock(queue.mutex);
    CHECK(queue.value == 10);
}

TEST_CASE("a wait with the mutex alone ends when another thread notifies") {
    Guarded flag;
    flag.mutex.lock();
    std::thread setter([&] {
        const MutexLock lock(flag.mutex);
        flag.value = 1;
        flag.changed.notifyOne();
    });
    while (flag.value == 0) flag.changed.wait(flag.mutex);
    CHECK(!isFree(flag.mutex));
    flag.mutex.unlock();
    setter.join();
    CHECK(isFree(flag.mutex));
}

TEST_CASE("a wait ends when its time runs out, and says so") {
    Guarded nothing;
    MutexLock lock(nothing.mutex);
    const auto begin = std::chrono::steady_clock::now();
    // It may also be woken for no reason, which says nothing about the time.
    while (nothing.changed.waitUntil(lock, begin + 20ms)) {
    }
    CHECK(std::chrono::steady_clock::now() >= begin + 20ms);
    while (nothing.changed.waitFor(lock, 1ms)) {
    }
    CHECK(!isFree(nothing.mutex));
}
