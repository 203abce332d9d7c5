// A function of whole vectors, as prev or msum, over the forms of values.
#pragma once

#include <functional>
#include <span>

#include "runtime/registry/registry.h"

namespace pelorus {

// f is called with `arguments`, the first `vectors` of them as vectors of one length (scalars repeat) and the rest as
// they are.
//
// vector → the result of f; matrix → column by column, with its labels; table → its numeric and temporal columns,
// others unchanged; tuple and dictionary of scalars and vectors of one length → row by row, of others or on demand
// element by element; scalar → the single element of the result for a vector of one element.
enum class TupleRule : uint8_t { ByRow, ByElement };
using VectorFunction = std::function<Value(std::span<const Value> arguments)>;
Value vectorForms(const VectorFunction& f, Arguments arguments, size_t vectors = 1, TupleRule rule = TupleRule::ByRow);

}  // namespace pelorus
