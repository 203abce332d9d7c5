// How much memory the process's vectors may take, and how much they take now.
//
// Thread-safe: counters are atomic.
#pragma once

#include <cstdint>

namespace pelorus::memory {

// 0 means no limit but the machine's. The default is 80 % of the physical memory.
void setLimitBytes(int64_t limit);
int64_t limitBytes();
int64_t usedBytes();

// Throws SystemError naming the size asked for when it would pass the limit; nothing is charged then.
void charge(int64_t sizeBytes);
void discharge(int64_t sizeBytes);

}  // namespace pelorus::memory
