// The counting `new` and `delete` of the process (heap.cpp).
#pragma once

namespace pelorus::memory {

// Does nothing; a call links heap.cpp into the program. Linkers otherwise leave it in its archive where another
// library, as that of a sanitizer, defines `new` too.
void linkCountingHeap();

}  // namespace pelorus::memory
