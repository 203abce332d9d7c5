// An aggregate over the forms of values.
#pragma once

#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/registry/registry.h"

namespace pelorus {

// Applies an aggregate by form. vector, pair → scalar; matrix → vector, one element per column; table → table of one
// row; tuple or dictionary of equally long vectors and scalars → vector, one element per row. Scalars count as vectors
// of one element.
Value aggregateForms(MakeState make, Arguments arguments);

// Applies an aggregate that is a function of whole vectors, such as med, to the same forms.
Value aggregateForms(Value (*wholeVector)(std::span<const Value> vectors), Arguments arguments);

}  // namespace pelorus
