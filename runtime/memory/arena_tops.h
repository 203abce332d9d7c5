// Memory that the system's allocator keeps at the ends of its arenas.
#pragma once

namespace pelorus::memory {

// Gives the unused end of each arena whose threads are gone back to the system, which malloc_trim leaves there: of the
// first arena alone it gives back the end. Takes some hundred microseconds. REQUIRES: calls do not overlap.
void trimArenaTops();

}  // namespace pelorus::memory
