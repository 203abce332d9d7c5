// Calls into libraries that cannot be interrupted, such as decompositions of matrices.
#pragma once

#include <functional>

namespace pelorus {

// Largest number of such calls of the process at once, of requests that wait for them and of cancelled ones together.
constexpr int kMaxAbandonableCalls = 4;

// Runs `work` on a thread of its own, and returns when it has ended. When the request of the calling thread is
// cancelled meanwhile, throws UserError at once: the thread goes on with the lowest priority until `work` ends, and its
// result is dropped. So `work` owns all that it uses, must not throw, and knows no request. While kMaxAbandonableCalls
// run, further ones wait, and can be cancelled.
void callAbandonable(std::function<void()> work);

}  // namespace pelorus
