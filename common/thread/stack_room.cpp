#include "common/thread/stack_room.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>

#include "common/error.h"

namespace pelorus {

void releaseStack() {
// Sanitizers keep shadow memory for each address of a stack.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    constexpr uintptr_t kPage = 4096, kKept = 16 << 10;
    static thread_local const uintptr_t lowest = [] {
        pthread_attr_t attributes;
        void* address = nullptr;
        size_t bytes = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return uintptr_t{0};
        if (pthread_attr_getstack(&attributes, &address, &bytes) != 0) address = nullptr;
        pthread_attr_destroy(&attributes);
        return reinterpret_cast<uintptr_t>(address);
    }();
    const uintptr_t end = (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - kKept) / kPage * kPage;
    if (lowest != 0 && lowest < end) ::madvise(reinterpret_cast<void*>(lowest), end - lowest, MADV_DONTNEED);
#endif
}

namespace detail {

uintptr_t findStackEnd() {
    // Reserve for calls below the deepest level, and for the throw.
    constexpr size_t kReserve = size_t{512} << 10;
    // The usable size of larger stacks is capped: the max recursion depth shall not depend on the limits of a shell,
    // and printing an endlessly nested value takes time that grows with the square of its depth. Sanitized frames are
    // several times larger.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr size_t kMax = size_t{64} << 20;
#else
    constexpr size_t kMax = size_t{8} << 20;
#endif
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
    void* lowest = nullptr;
    size_t bytes = 0;
    const bool isKnown = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    if (!isKnown) return 1;
    const uintptr_t top = reinterpret_cast<uintptr_t>(lowest) + bytes;
    const size_t used = std::min(bytes, kMax);
    return top - used + std::min(kReserve, used / 4);
}

void throwNoStackRoom() {
    throw UserError("This is nested too deeply.", "Keep the parts side by side, or give inner parts a name.");
}

}  // namespace detail
}  // namespace pelorus
