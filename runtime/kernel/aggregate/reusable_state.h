// States of a few numbers or values a group, which can be copied one by one: a stream takes the states of windows that
// end, and gives their places to other windows.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

class ReusableState : public GroupedState {
public:
    // Makes state groups[i] of this a copy of state fromGroups[i] of `from`, which is of the same type, made for the
    // same arguments, and another object. REQUIRES: both have these groups.
    virtual void assign(const GroupedState& from, const int32_t* fromGroups, const int32_t* groups, int64_t count) = 0;
};

}  // namespace pelorus
