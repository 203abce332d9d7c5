// Lowers the priority of single threads in the system's scheduler, so that interactive requests precede work that may
// wait.
//
// A thread is lowered for good: raising a nice value again takes a privilege that a server should not have. Lowered
// threads still get some time, so that one of them may hold a lock.
#pragma once

namespace pelorus {

// Returns the id of the calling thread for lowerThread.
int currentThreadId();

// Lowers a thread of this process. Does nothing when the thread has ended or the system refuses.
void lowerThread(int threadId) noexcept;

}  // namespace pelorus
