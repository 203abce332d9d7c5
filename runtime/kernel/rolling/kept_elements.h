// States that keep elements of any column as they are: what stood some rows before, and the last one that is not NULL.
#pragma once

#include <cstdint>
#include <memory>

#include "common/type_table.h"
#include "runtime/kernel/rolling/rolling_states.h"

namespace pelorus {

// Sets each row to the element `steps` rows before it in its group, NULL where there is none. REQUIRES: steps >= 1, and
// a type whose elements a vector stores.
std::unique_ptr<RollingStates> makeShiftStates(Type type, int64_t steps);

// Sets each NULL to the last element before it in its group, at most `limit` in a row.
std::unique_ptr<RollingStates> makeFillStates(Type type, int64_t limit);

}  // namespace pelorus
