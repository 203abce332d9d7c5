// Runs tasks on all cores of the process, by oneTBB.
//
// Tasks may call these functions: a waiting task executes only tasks that it waits for, so that it may hold a lock
// meanwhile. A task must not wait for the network or for a lock that another task holds for long.
#pragma once

#include <cstdint>
#include <functional>
#include <future>

namespace pelorus {

// Sets the number of worker threads, the caller's included. Called once at start, before the first task; 0 takes the
// machine's cores.
void setWorkerCount(int count);
int workerCount();

// Calls f(0) … f(count - 1), in any order and on several threads, and returns when all are done. When some throw, the
// exception of the smallest number among those that ran is thrown, and numbers that did not start yet may be left out.
// The latter also holds when the caller's request is cancelled.
void parallelFor(int64_t count, const std::function<void(int64_t)>& f);

// Scope in which parallelFor of this thread runs on this thread alone: for callers that hold a lock that tasks need.
class SerialWork {
public:
    SerialWork();
    ~SerialWork();
    SerialWork(const SerialWork&) = delete;
};

// Runs the task soon on a worker. The future carries its exception; dropping the future does not wait.
std::future<void> submit(std::function<void()> task);

}  // namespace pelorus
