// A call of a built-in, or an operator, that has no operation in scalar code: machine code calls the same function as
// the interpreter would, with Values, and goes on with the plain scalar that it returns.
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
    enum class Source : uint8_t { Constant, Slot, Pair, Sequence };  // the last two of two slots
    std::vector<Value> arguments;                                    // of slots, a scalar of their type
    std::vector<Source> sources;
    Type result = Type::Void;

    // See ScalarSupport::callBoxed.
    bool run(const int64_t* slots, int64_t* given, Context& context) const;
};

}  // namespace pelorus
