// Conversion of values to nodes of metacode.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/function/function.h"
#include "runtime/value/vector.h"

namespace pelorus {

inline bool isCode(const Value& v) {
    return v.isScalar() && v.type() == Type::Code;
}

// Returns the node that CODE holds, the name of a built-in function, a constant for anything else. A user function is
// kept by value, as the code may run where its name means something else, and shown by its name.
inline NodeRef nodeOf(const Value& v) {
    if (isCode(v)) return v.as<Code>()->node;
    if (v.isFunction() && v.function().portableKind() == "builtin") {
        return makeRef<Name>(std::string(v.function().name()), SourcePosition{});
    }
    auto constant = makeRef<Constant>(v, SourcePosition{});
    if (v.isFunction()) constant->spelling = v.function().name();
    return constant;
}

// Returns the elements of a tuple, a single value as a list of one.
inline std::vector<Value> elementsOf(const Value& v) {
    if (v.isTuple()) return v.tuple().elements;
    return {v};
}

}  // namespace pelorus
