#include "common/thread/thread_pool.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <thread>

#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "common/thread/work_arena.h"

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace pelorus {

// oneTBB is compiled without the thread sanitizer, which cannot see how it hands work over; these annotations tell it.
// Writes before handOver(x) happen before later calls of takeOver(x).
static void handOver([[maybe_unused]] const void* work) {
#if defined(__SANITIZE_THREAD__)
    __tsan_release(const_cast<void*>(work));
#endif
}
static void takeOver([[maybe_unused]] const void* work) {
#if defined(__SANITIZE_THREAD__)
    __tsan_acquire(const_cast<void*>(work));
#endif
}

static std::atomic<int> configuredWorkers{0};

void setWorkerCount(int count) {
    configuredWorkers.store(count);
}

int workerCount() {
    const int configured = configuredWorkers.load(std::memory_order_relaxed);
    if (configured > 0) return configured;
    static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return cores;
}

// Returns the arena of tasks that belong to no request.
static tbb::task_arena& workers() {
    static tbb::task_arena arena(workerCount());
    return arena;
}

namespace {

// Keeps the exception of the smallest number, so that an error message does not depend on which thread was faster.
class FirstFailure {
public:
    bool happened() const { return happened_.load(std::memory_order_relaxed); }
    void keep(int64_t number) {
        const MutexLock guard(mutex_);
        if (number < number_) {
            number_ = number;
            exception_ = std::current_exception();
        }
        happened_.store(true, std::memory_order_relaxed);
    }
    // Every thread of the loop has ended, so the lock is not needed.
    void rethrow() const NO_THREAD_SAFETY_ANALYSIS {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    Mutex mutex_;
    std::atomic<bool> happened_{false};
    int64_t number_ GUARDED_BY(mutex_) = INT64_MAX;
    std::exception_ptr exception_ GUARDED_BY(mutex_);
};

}  // namespace

static thread_local int serialWork = 0;

SerialWork::SerialWork() {
    ++serialWork;
}

SerialWork::~SerialWork() {
    --serialWork;
}

void parallelFor(int64_t count, const std::function<void(int64_t)>& f) {
    if (count <= 0) return;
    if (count == 1 || workerCount() == 1 || serialWork > 0) {
        for (int64_t i = 0; i < count; ++i) {
            checkCancelled();
            f(i);
        }
        return;
    }
    FirstFailure failure;
    const CancellationFlag* request = CancellationScope::current();
    WorkArena& arena = WorkArena::current();
    handOver(&failure);
    arena.run(count, [&](int64_t i) {
        if (failure.happened()) return;
        takeOver(&failure);
        {
            const CancellationScope scope(request);
            const WorkScope work(arena);
            try {
                checkCancelled();
                f(i);
            } catch (...) {
                failure.keep(i);
            }
        }
        handOver(&failure);
    });
    takeOver(&failure);
    failure.rethrow();
}

std::future<void> submit(std::function<void()> task) {
    // enqueue needs a copyable callable.
    auto packaged = std::make_shared<std::packaged_task<void()>>(std::move(task));
    std::future<void> done = packaged->get_future();
    handOver(packaged.get());
    workers().enqueue([packaged] {
        takeOver(packaged.get());
        (*packaged)();
    });
    return done;
}

}  // namespace pelorus
