// Serves the requests of a connection one after another, and changes the thread after a request for which it was
// lowered: an unprivileged process cannot raise a thread's priority again.
#pragma once

#include <cstdint>
#include <functional>

namespace pelorus {

// The outcome of serving one request.
enum class Served : uint8_t {
    More,           // the connection goes on
    MoreElsewhere,  // the connection goes on, but this thread was lowered: it serves no other request
    End,
};

// Calls `step` until it returns End, and rethrows what it throws. After MoreElsewhere a new thread calls it and the
// calling thread waits; if no thread can be started, the lowered one goes on.
void serveOnFreshThreads(const std::function<Served()>& step);

}  // namespace pelorus
