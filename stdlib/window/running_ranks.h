// States of functions that order all rows so far: cummed, cumpercentile, cumrank, cumdenseRank, cumnunique.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernel/rolling/rolling_states.h"
#include "runtime/value/value.h"

namespace pelorus {

// Returns the constants of a call as its kernel reads them; nothing when one of those from position `from` on is a
// column.
std::optional<std::vector<Value>> rollingConstants(std::span<const Type> types, std::span<const Value> constants,
                                                   size_t from);

// These make the states for a call; null for columns that they do not take. Throw UserError for constants that the
// function does not take. A group keeps all its elements (cumdenseRank, cumnunique: the distinct ones).
std::unique_ptr<RollingStates> runningMedians(std::span<const Type> types, std::span<const Value> constants);
std::unique_ptr<RollingStates> runningPercentiles(std::span<const Type> types, std::span<const Value> constants);
std::unique_ptr<RollingStates> runningRanks(std::span<const Type> types, std::span<const Value> constants);
std::unique_ptr<RollingStates> runningDenseRanks(std::span<const Type> types, std::span<const Value> constants);
std::unique_ptr<RollingStates> runningDistinct(std::span<const Type> types, std::span<const Value> constants);

}  // namespace pelorus
