// CallingStates goes on with a function that calls another one for each row, mostly of a script, over its own results.
#pragma once

#include <vector>

#include "runtime/function/context.h"
#include "runtime/kernel/rolling/rolling_states.h"

namespace pelorus {

// Rolling states whose steps need the caller's context. Declaration::rolling makes them as others; who steps without a
// context leaves them out (withoutCalls).
class CallingStates : public RollingStates {
public:
    CallingStates* asCalling() final { return this; }
    // Takes rows as RollingStates::step does, and returns a scalar for each. An argument may be a tuple of columns,
    // too. Throws what the function throws: the groups may then have taken the rows in part.
    virtual std::vector<Value> stepCalling(Context& context, std::span<const Value> arguments, const int32_t* groups,
                                           int64_t count) = 0;
    // REQUIRES: nobody calls it.
    Value step(std::span<const Value> arguments, const int32_t* groups, int64_t count) final;
};

// Returns the states unless their steps need a context; null then.
inline std::unique_ptr<RollingStates> withoutCalls(std::unique_ptr<RollingStates> states) {
    return states && states->asCalling() ? nullptr : std::move(states);
}

}  // namespace pelorus
