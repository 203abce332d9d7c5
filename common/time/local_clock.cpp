#include "common/time/local_clock.h"

#include <chrono>
#include <ctime>

#include "common/time/calendar.h"

namespace pelorus {

int64_t localNanos() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const int64_t nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    const std::time_t seconds = nanos / calendar::kNanosPerSecond;
    std::tm local{};
    localtime_r(&seconds, &local);
    return nanos + local.tm_gmtoff * calendar::kNanosPerSecond;
}

}  // namespace pelorus
