// How deep a thread may still call itself.
#pragma once

#include <cstdint>

namespace pelorus {

namespace detail {

// The lowest address that this thread's frames should reach; 0 until somebody asks.
inline thread_local constinit uintptr_t stackEnd = 0;
uintptr_t findStackEnd();
[[noreturn]] void throwNoStackRoom();

}  // namespace detail

// What calls itself for each level of something that a script nests, a list in a list or code in code, asks at each
// level whether the thread's stack has room for more. Throws UserError when it is nearly used up. Costs a comparison.
inline void requireStackRoom() {
    if (detail::stackEnd == 0) detail::stackEnd = detail::findStackEnd();
    if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < detail::stackEnd) detail::throwNoStackRoom();
}

// Gives back the memory that deeper calls of this thread have touched, for a thread that will wait. Costs a call of the
// system, and the pages again when they are needed.
void giveBackStack();

}  // namespace pelorus
