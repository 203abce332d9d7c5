// Functions whose results depend on a function of their own results so far: accumulate, genericStateIterate,
// genericTStateIterate. Columns and streams compute with the same states.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/rolling/rolling_states.h"
#include "runtime/registry/declaration.h"

namespace pelorus {

// Makes the states of accumulate(func, X, [init]) with a func of the result so far and one or two columns; null for
// other calls.
std::unique_ptr<RollingStates> accumulatedStates(std::span<const Type> types, std::span<const Value> constants);

}  // namespace pelorus
