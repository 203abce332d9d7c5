#include "distributed/cluster/parallel_calls.h"

#include <exception>
#include <thread>
#include <vector>

#include "common/thread/mutex.h"
#include "common/thread/thread_start.h"

namespace pelorus {

void callInParallel(size_t count, const std::function<void(size_t, const std::atomic<bool>& abandon)>& f) {
    std::atomic<bool> abandon{false};
    Mutex mutex;  // guards first
    std::exception_ptr first;
    const auto fail = [&] {
        const MutexLock lock(mutex);
        if (!first) first = std::current_exception();
        abandon = true;
    };
    const auto run = [&](size_t i) {
        try {
            f(i, abandon);
        } catch (...) {
            fail();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(count);
    try {
        for (size_t i = 1; i < count; ++i) threads.push_back(startThread([&run, i] { run(i); }));
    } catch (...) {
        // The calls that run already are told to give up, and awaited below.
        fail();
    }
    if (count > 0 && !abandon) run(0);
    for (std::thread& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
}

}  // namespace pelorus
