// Limit of the recursion depth of a thread.
#pragma once

#include <cstdint>

namespace pelorus {

namespace detail {

// The lowest address that this thread's frames should reach; 0 until the first check.
inline thread_local constinit uintptr_t stackEnd = 0;
uintptr_t findStackEnd();
[[noreturn]] void throwNoStackRoom();

}  // namespace detail

// Checks that the thread's stack has room for one more level of recursion. Called at each level by functions that
// recurse into structures that a script nests: a list in a list, or code in code. Throws UserError when the stack is
// nearly used up. Costs a comparison.
inline void requireStackRoom() {
    if (detail::stackEnd == 0) detail::stackEnd = detail::findStackEnd();
    if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < detail::stackEnd) detail::throwNoStackRoom();
}

// Returns to the system the stack memory that deeper calls of this thread have touched, for a thread that will wait.
// Costs a system call, and page faults when the pages are needed again.
void releaseStack();

}  // namespace pelorus
