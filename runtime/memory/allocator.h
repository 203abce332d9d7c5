// How the process's allocator treats memory that was freed.
#pragma once

namespace pelorus::memory {

// Freed memory stays with the process, up to some hundred MB or a share of the memory limit, instead of going back to
// the system page by page: queries take and give back the same sizes again and again, and each fresh page costs a
// fault. Called at start, and again when the limit has changed.
void keepFreedMemory();

}  // namespace pelorus::memory
