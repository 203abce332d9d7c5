// The counting `new` and `delete` of the process (heap.cpp).
#pragma once

namespace pelorus::memory {

// Does nothing; whoever calls it has heap.cpp in the program. Linkers leave it in its archive otherwise where another
// library, as that of a sanitizer, defines `new` too.
void linkCountingHeap();

}  // namespace pelorus::memory
