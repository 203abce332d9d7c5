// States of conditionalIterate, stateIterate and stateMavg: rows that depend on a function of their own results so far.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/rolling/rolling_states.h"
#include "runtime/registry/declaration.h"

namespace pelorus {

// These make the states for a call; null when the function that they iterate has no states of its own, or another type
// than the results have.
std::unique_ptr<RollingStates> conditionalStates(std::span<const Type> types, std::span<const Value> constants);
std::unique_ptr<RollingStates> linearStates(std::span<const Type> types, std::span<const Value> constants);
std::unique_ptr<RollingStates> meanStates(std::span<const Type> types, std::span<const Value> constants);

}  // namespace pelorus
