// Calls libraries that cannot be interrupted, such as decompositions of matrices.
#pragma once

#include <functional>

namespace pelorus {

// Maximum number of such calls in the process at once, those of cancelled requests included.
constexpr int kMaxAbandonableCalls = 4;

// Runs `work` on a new thread, and returns when it has ended. When the request of the calling thread is cancelled
// meanwhile, throws UserError at once: the thread continues with the lowest priority until `work` ends, and its result
// is dropped. Therefore `work` must own all that it uses, must not throw, and must not refer to the request. While
// kMaxAbandonableCalls run, further calls wait, and can be cancelled. When the process ends while calls run, it ends
// without the destructors of statics and libraries, which the calls may still use.
void callAbandonable(std::function<void()> work);

}  // namespace pelorus
