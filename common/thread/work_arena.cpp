#include "common/thread/work_arena.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "common/thread/lowered_workers.h"
#include "common/thread/thread_pool.h"

namespace pelorus {
namespace {

constinit thread_local WorkArena* current_ = nullptr;

LoweredWorkers& loweredWorkers() {
    static LoweredWorkers workers(workerCount() - 1);
    return workers;
}

}  // namespace

// A slot is kept for the caller, so that it never waits for helpers of others.
struct WorkArena::Threads {
    explicit Threads(int count) : count(count), arena(count) {}

    const int count;
    tbb::task_arena arena;
};

WorkArena::WorkArena(int parallelism) : parallelism_(std::max(1, parallelism)) {}

WorkArena::~WorkArena() {
    delete threads_.load(std::memory_order_relaxed);
}

// Several threads of one request may begin its first loop at once.
WorkArena::Threads& WorkArena::threads() {
    Threads* made = threads_.load(std::memory_order_acquire);
    if (made) return *made;
    auto mine = std::make_unique<Threads>(std::min(parallelism_, workerCount()));
    if (threads_.compare_exchange_strong(made, mine.get(), std::memory_order_acq_rel)) return *mine.release();
    return *made;
}

void WorkArena::run(int64_t count, const std::function<void(int64_t)>& piece) {
    SharedLoop loop{.count = count, .piece = piece};
    const int most = static_cast<int>(std::min<int64_t>({count, parallelism_, workerCount()}));
    if (most > 1 && !isLow()) {
        const auto work = [&](int) { loop.work([this] { return isLow(); }); };
        // Isolated: while the caller waits, it takes no tasks of other loops; one of them might need a lock that it
        // holds.
        threads().arena.execute([&] {
            tbb::this_task_arena::isolate([&] {
                tbb::parallel_for(
                    tbb::blocked_range<int>(0, most, 1),
                    [&](const tbb::blocked_range<int>& range) { work(range.begin()); }, tbb::simple_partitioner());
            });
        });
    }
    if (!loop.isTaken()) loweredWorkers().run(loop, isLow() ? most - 1 : 0);
}

WorkArena& WorkArena::current() {
    if (current_) return *current_;
    static WorkArena ofProcess(workerCount());
    return ofProcess;
}

WorkArena* WorkArena::ofThread() {
    return current_;
}

WorkScope::WorkScope(WorkArena& arena) : outer_(current_) {
    current_ = &arena;
}

WorkScope::~WorkScope() {
    current_ = outer_;
}

}  // namespace pelorus
