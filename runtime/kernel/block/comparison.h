// Helpers for comparison operators: their result for an order, and the operator for swapped sides.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

// Returns whether `a op b` holds when a compares to b as `order` does to 0.
inline bool holds(Operator op, int order) {
    switch (op) {
        case Operator::Lt:
            return order < 0;
        case Operator::Le:
            return order <= 0;
        case Operator::Eq:
            return order == 0;
        case Operator::Gt:
            return order > 0;
        case Operator::Ge:
            return order >= 0;
        default:
            return order != 0;
    }
}

// Below this bound FLOAT or DOUBLE represents every integer exactly; from there on several integers compare as equal.
constexpr double exactIntegers(Type fraction) {
    return fraction == Type::Float ? 0x1p24 : 0x1p53;
}

// Returns the operator for which `b … a` equals `a op b`.
inline Operator mirrored(Operator op) {
    switch (op) {
        case Operator::Lt:
            return Operator::Gt;
        case Operator::Le:
            return Operator::Ge;
        case Operator::Gt:
            return Operator::Lt;
        case Operator::Ge:
            return Operator::Le;
        default:
            return op;
    }
}

}  // namespace pelorus
