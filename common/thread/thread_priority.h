// Priority of single threads for the system's scheduler: work that may wait gives way to interactive requests.
//
// A thread is lowered for good: raising a nice value again takes a privilege that a server has no need of. The system's
// scheduler gives lowered threads less time and never none, so that one of them may hold a lock.
#pragma once

namespace pelorus {

// Names the calling thread for lowerThread.
int currentThreadId();

// Lowers a thread of this process. Never throws: a thread that is gone, or a system that refuses, is left as it is.
void lowerThread(int threadId) noexcept;

}  // namespace pelorus
