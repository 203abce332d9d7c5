// Concurrent calls that wait for other nodes, each on a separate thread: tasks of the pool must not wait for the
// network.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace pelorus {

// Calls f(0) … f(count - 1) and returns when all have returned. When one throws, `abandon` becomes true for the others
// and the first exception is rethrown.
void callInParallel(size_t count, const std::function<void(size_t, const std::atomic<bool>& abandon)>& f);

}  // namespace pelorus
