// Runs calls that wait for other nodes concurrently, each on a separate thread: tasks of the pool must not wait for the
// network.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace pelorus {

// Calls f(0) … f(count - 1), the first on the calling thread, and returns when all have returned. When one throws,
// `abandon` becomes true for the others, which may then end early, and the first exception is rethrown.
void callInParallel(size_t count, const std::function<void(size_t, const std::atomic<bool>& abandon)>& f);

}  // namespace pelorus
