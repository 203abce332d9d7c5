// Starts threads; a failure is an error that ends the request only.
#pragma once

#include <functional>
#include <thread>

namespace pelorus {

// Throws SystemError (retryable) when the machine has no thread left; std::thread would throw std::system_error.
std::thread startThread(std::function<void()> body);

}  // namespace pelorus
