// The local time of the machine's clock: the language keeps no zone in its values.
#pragma once

#include <cstdint>

namespace pelorus {

// Nanoseconds since 1970, in local time.
int64_t localNanos();
inline int64_t localMillis() {
    return localNanos() / 1'000'000;
}

}  // namespace pelorus
