// Frees memory that the system's allocator keeps at the ends of its arenas.
#pragma once

namespace pelorus::memory {

// Returns to the system the unused end of each arena whose threads have ended; malloc_trim does so for the first arena
// only. It takes some hundred microseconds. REQUIRES: calls do not overlap.
void trimArenaTops();

}  // namespace pelorus::memory
