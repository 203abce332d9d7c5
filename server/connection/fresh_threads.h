// Serves the requests of a connection one after another, on another thread once the one that serves was lowered.
#pragma once

#include <cstdint>
#include <functional>

namespace pelorus {

enum class Served : uint8_t {
    More,           // the connection goes on
    MoreElsewhere,  // so does it, and this thread was lowered: it serves no other request
    End,
};

// Calls `step` until it returns End, and passes on what it throws. The calling thread waits meanwhile when another one
// serves in its place; where the machine has no thread to give, the lowered one goes on.
void serveOnFreshThreads(const std::function<Served()>& step);

}  // namespace pelorus
