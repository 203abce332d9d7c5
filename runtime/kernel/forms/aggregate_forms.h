// An aggregate over the forms of values: FAM-02, FRM-25, FRM-32, FRM-64, FRM-72.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/registry/registry.h"

namespace pelorus {

// vector, pair → scalar; matrix → vector, one item per column; table → table of one row; tuple or dictionary of equally
// long vectors and scalars → vector, one item per row. Scalars count as vectors of one item.
Value aggregateForms(MakeState make, Arguments arguments);

// The same walk for an aggregate that is a function of whole vectors, as med.
Value aggregateForms(Value (*wholeVector)(std::span<const Value> vectors), Arguments arguments);

}  // namespace pelorus
