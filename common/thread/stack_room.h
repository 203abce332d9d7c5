// Limits the recursion depth of a thread.
#pragma once

#include <cstdint>

namespace pelorus {

namespace detail {

// The lowest address that this thread's frames should reach; 0 until the first check.
inline thread_local constinit uintptr_t stackEnd = 0;
uintptr_t findStackEnd();
[[noreturn]] void throwNoStackRoom();

}  // namespace detail

// Throws UserError when the thread's stack is nearly used up. Called at each level by functions that recurse into
// structures that a script nests: a list in a list, or code in code. It costs a comparison.
inline void requireStackRoom() {
    if (detail::stackEnd == 0) detail::stackEnd = detail::findStackEnd();
    if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < detail::stackEnd) detail::throwNoStackRoom();
}

// Returns to the system the stack memory that deeper calls of this thread have touched, before the thread waits for
// long. It costs a system call, and page faults when the pages are needed again.
void releaseStack();

}  // namespace pelorus
