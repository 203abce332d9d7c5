#include "common/thread/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace pelorus {
namespace {

// Some hundredth of the time of a thread that was not lowered.
constexpr int kLoweredNice = 19;

}  // namespace

int currentThreadId() {
    return ::gettid();
}

void lowerThread(int threadId) noexcept {
    // On Linux a nice value belongs to a thread.
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(threadId), kLoweredNice);
}

}  // namespace pelorus
