// Settings of the process's allocator for freed memory.
#pragma once

namespace pelorus::memory {

// Keeps freed memory in the process, up to some hundred MB or a share of the memory limit, instead of returning it to
// the system page by page: queries allocate and free the same sizes again and again, and each fresh page costs a fault.
// Called at start, and again when the limit has changed.
void keepFreedMemory();
// Bounds also what the process has and no count shows, such as pieces that were freed in the heap of a thread which
// runs no more: for a process that has nobody else in it, a server.
void boundResidentMemory();

}  // namespace pelorus::memory
