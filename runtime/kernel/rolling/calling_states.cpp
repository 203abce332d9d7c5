#include "runtime/kernel/rolling/calling_states.h"

#include "common/check.h"

namespace pelorus {

Value CallingStates::step(std::span<const Value>, const int32_t*, int64_t) {
    CHECK(false) << "states that call functions are given a context";
    return {};
}

}  // namespace pelorus
