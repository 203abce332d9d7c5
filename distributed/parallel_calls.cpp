#include "distributed/parallel_calls.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace pelorus {

void callInParallel(size_t count, const std::function<void(size_t, const std::atomic<bool>& abandon)>& f) {
    std::atomic<bool> abandon{false};
    std::mutex mutex;
    std::exception_ptr first;
    const auto run = [&](size_t i) {
        try {
            f(i, abandon);
        } catch (...) {
            std::lock_guard lock(mutex);
            if (!first) first = std::current_exception();
            abandon = true;
        }
    };
    std::vector<std::thread> threads;
    for (size_t i = 1; i < count; ++i) threads.emplace_back(run, i);
    if (count > 0) run(0);
    for (std::thread& thread : threads) thread.join();
    if (first) std::rethrow_exception(first);
}

}  // namespace pelorus
