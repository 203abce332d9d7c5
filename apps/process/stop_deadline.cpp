#include "apps/process/stop_deadline.h"

#include <unistd.h>

#include <utility>

#include "common/log.h"

namespace pelorus {

StopDeadline::StopDeadline(std::chrono::milliseconds patience, std::function<void()> end)
    : thread_([this, until = std::chrono::steady_clock::now() + patience, end = std::move(end)] {
          {
              MutexLock lock(mutex_);
              while (!isOver_) {
                  const auto left = until - std::chrono::steady_clock::now();
                  if (left <= std::chrono::nanoseconds(0)) break;
                  changed_.waitFor(
                      lock, std::chrono::duration_cast<std::chrono::milliseconds>(left) + std::chrono::milliseconds(1));
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
