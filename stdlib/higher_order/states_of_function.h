// The states of a function that is given as an argument, such as msum{, 3}.
#pragma once

#include <memory>
#include <vector>

#include "runtime/kernel/rolling/rolling_states.h"
#include "runtime/value/vector.h"

namespace pelorus {

// A function of one vector that goes on row by row.
struct StatesOfFunction {
    std::unique_ptr<RollingStates> states;  // null when it can't
    std::vector<Value> arguments;           // the first is the vector
    Type gives = Type::Void;                // of the elements of its results

    Value step(Ref<Vector> x, const int32_t* groups) {
        const int64_t count = x->size();
        arguments[0] = Value::of(std::move(x));
        return states->step(arguments, groups, count);
    }
};

// Returns the states of a function over vectors of this type. It has none for functions whose first argument is not the
// open one, for those that can't go on, and for those with several results.
StatesOfFunction statesOfFunction(const Value& function, Type type);

// The states of segmentby(func, X, segment): those of func, which start anew with each run of equal segments.
std::unique_ptr<RollingStates> segmentStates(std::span<const Type> types, std::span<const Value> constants);

// The states of byColumn(func, X) over rows of array vectors: those of func, one for each place in the rows of a group.
std::unique_ptr<RollingStates> columnwiseStates(std::span<const Type> types, std::span<const Value> constants);

}  // namespace pelorus
