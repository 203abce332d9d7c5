// States of functions of vectors that go on with what came so far: prevState, sumbars, iterate,
// sessionWindow, rowNo.
#pragma once

#include <memory>
#include <span>

#include "runtime/kernel/rolling/rolling_states.h"

namespace pelorus {

// The states of prevState(X): two elements a group.
std::unique_ptr<RollingStates> stateBeforeStates(std::span<const Type> types, std::span<const Value> constants);

// The states of sumbars(X, Y), of groups that keep all their elements: a later one that is negative may make any of
// them count.
std::unique_ptr<RollingStates> sumbarsStates(std::span<const Type> types, std::span<const Value> constants);

// The states of iterate(init, coeffs, input) with a column as input: as many elements a group as there are
// coefficients.
std::unique_ptr<RollingStates> recurrenceStates(std::span<const Type> types, std::span<const Value> constants);

// The states of sessionWindow(X, sessionGap) over integers: two elements a group.
std::unique_ptr<RollingStates> sessionStates(std::span<const Type> types, std::span<const Value> constants);

// The states of rowNo(X), over columns of any type.
std::unique_ptr<RollingStates> rowNumberStates(std::span<const Type> types, std::span<const Value> constants);

// Returns how many of the last elements add up to at least `target`, from the newest to older ones; 0 when all do not.
// `at(k)` is the element `k` rows back, of `count`.
template <class At>
int32_t barsToSum(int64_t count, double target, At at) {
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) {
        const double element = at(k);
        sum += isNull(element) ? 0 : element;
        if (sum >= target) return static_cast<int32_t>(k + 1);
    }
    return 0;
}

}  // namespace pelorus
