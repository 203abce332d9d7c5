// Returns the local time of the machine's clock: the values of the language have no time zone.
#pragma once

#include <cstdint>

namespace pelorus {

// Returns the nanoseconds since 1970 in local time.
int64_t localNanos();
inline int64_t localMillis() {
    return localNanos() / 1'000'000;
}

}  // namespace pelorus
