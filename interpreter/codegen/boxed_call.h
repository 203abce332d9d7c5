// BoxedCall is a call of a built-in or an operator that has no operation in scalar code: machine code calls the same
// function as the interpreter would, with Values, and continues with the plain scalar that it returns.
#pragma once

#include <span>
#include <vector>

#include "interpreter/bytecode/scalar_code.h"
#include "runtime/code/expression.h"

namespace pelorus {

class BuiltinFunction;

struct BoxedCall {
    static constexpr size_t kMaxArguments = 6;

    const BuiltinFunction* function = nullptr;  // nullptr: an operator
    Operator op = Operator::Add;
    enum class Source : uint8_t { Constant, Slot, Pair, Sequence };  // Pair and Sequence have two slots
    std::vector<Value> arguments;                                    // the constants; for slots a scalar of their type
    std::vector<Source> sources;
    Type result = Type::Void;

    // Runs the call, see ScalarSupport.
    bool run(const int64_t* slots, int64_t* given, Context& context) const;
};

}  // namespace pelorus
