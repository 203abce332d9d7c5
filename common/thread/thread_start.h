// Starts threads so that a failure ends only the request.
#pragma once

#include <functional>
#include <thread>

namespace pelorus {

// Starts a thread. Throws SystemError (retryable) when the machine has no thread left; std::thread would throw
// std::system_error.
std::thread startThread(std::function<void()> body);

}  // namespace pelorus
