// A new thread, or an error that a request can end with.
#pragma once

#include <functional>
#include <thread>

namespace pelorus {

// Throws SystemError (retryable) when the machine has no thread to give; std::thread itself throws what nobody catches.
std::thread startThread(std::function<void()> body);

}  // namespace pelorus
