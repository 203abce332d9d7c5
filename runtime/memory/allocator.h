// How the process's allocator treats memory that was freed.
#pragma once

namespace pelorus::memory {

// Freed memory stays with the process, up to some hundred MB, instead of going back to the system page by page: queries
// take and give back the same sizes again and again, and each fresh page costs a fault. Called once, before other
// threads start.
void keepFreedMemory();

}  // namespace pelorus::memory
