// RollingStates goes on with a function that looks back, row by row, for many groups at once: what msum(x, 20) is over
// a column that never ends.
//
// A function that has such states (Declaration::rolling) returns for each row the same bits as its call over all rows
// of the group so far, since both compute with one state.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/value/value.h"

namespace pelorus {

// The states of one call, one per group. Not thread-safe.
class RollingStates {
public:
    virtual ~RollingStates() = default;
    // New groups start without rows.
    virtual void resize(int64_t groups) = 0;
    // Takes `count` rows, row i into groups[i], those of a group in their order, and returns the results: a vector of
    // as many elements, or a tuple of such vectors of a function with several results. Arguments are vectors of `count`
    // elements, of the types for which the states were made; constants are left as they were given then. Throws
    // nothing but for memory.
    virtual Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) = 0;
    // Lets groups start anew.
    virtual void clear(const int32_t* groups, int64_t count) = 0;
    // Returns the approximate size of the states.
    virtual int64_t memoryBytes() const = 0;
};

}  // namespace pelorus
