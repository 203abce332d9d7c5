#include "common/stack_room.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>

#include "common/error.h"

namespace pelorus::detail {

uintptr_t findStackEnd() {
    // For what is called below the deepest level, and to throw.
    constexpr size_t kReserve = size_t{512} << 10;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
    void* lowest = nullptr;
    size_t bytes = 0;
    const bool isKnown = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return isKnown ? reinterpret_cast<uintptr_t>(lowest) + std::min(kReserve, bytes / 4) : 1;
}

void throwNoStackRoom() {
    throw UserError("This is nested too deeply.", "Keep the parts side by side, or give inner parts a name.");
}

}  // namespace pelorus::detail
