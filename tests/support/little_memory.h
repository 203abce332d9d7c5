// LittleMemory limits the memory of the process, so that queries spill.
#pragma once

#include <cstdint>

#include "runtime/memory/budget.h"

namespace pelorus::testing {

// Limits memory during its life to little more than is used at its start.
struct LittleMemory {
    explicit LittleMemory(int64_t roomBytes) : before(memory::limitBytes()) {
        memory::shrinkCaches(memory::usedBytes());
        memory::setLimitBytes(memory::usedBytes() + roomBytes);
    }
    ~LittleMemory() { memory::setLimitBytes(before); }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;
    const int64_t before;
};

}  // namespace pelorus::testing
