// Deadlocks: circles of sessions that wait for each other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace pelorus {

// Returns the nodes of a circle through `start`, which is the first; none when there is no such circle. `waitsFor`
// gives the nodes that a node waits for. Depth-first; each node is asked once.
std::vector<uint64_t> circleThrough(uint64_t start,
                                    const std::function<std::vector<uint64_t>(uint64_t node)>& waitsFor);

}  // namespace pelorus
