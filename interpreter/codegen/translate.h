// Translates bytecode to scalar code: the types of all registers are followed along every path, and a block is made for
// each combination of types that reaches it. An instruction without a translation leaves to the interpreter, unless it
// is inside the loop that made the code hot: then the translation is refused, since it would not pay.
#pragma once

#include <optional>
#include <span>

#include "interpreter/bytecode/closure.h"
#include "interpreter/bytecode/scalar_code.h"

namespace pelorus {

// Translates code that begins at instruction `pc` of a running activation: the head of a loop, or 0 for a whole
// function. The types are those that the registers hold now.
std::optional<ScalarUnit> translateFrom(const CompiledFunction& code, int32_t pc, Value* const* spaces);

// Translates a whole function of scalars that only computes. `result` is the type that it returns.
std::optional<ScalarUnit> translateFunction(const Closure& function, std::span<const Type> arguments, Type& result);

// Sets the kind of input that a value can be; returns false when it cannot be an input.
bool scalarInput(const Value& value, ScalarInput& input);

}  // namespace pelorus
