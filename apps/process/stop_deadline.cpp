#include "apps/process/stop_deadline.h"

#include <unistd.h>

#include <utility>

#include "common/log.h"

namespace pelorus {

StopDeadline::StopDeadline(std::chrono::milliseconds timeout, std::function<void()> end)
    : thread_([this, until = std::chrono::steady_clock::now() + timeout, end = std::move(end)] {
          {
              MutexLock lock(mutex_);
              while (!isOver_ && changed_.waitUntil(lock, until)) {
              }
              if (isOver_) return;
          }
          end();
      }) {}

StopDeadline::~StopDeadline() {
    {
        const MutexLock lock(mutex_);
        isOver_ = true;
        changed_.notifyAll();
    }
    thread_.join();
}

void StopDeadline::endProcess() {
    logWarning("server", "ended without waiting for requests that do not heed their cancellation");
    ::_exit(0);
}

}  // namespace pelorus
