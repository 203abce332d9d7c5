#include "interpreter/expression/bound.h"

#include "runtime/kernel/elementwise/operators.h"

namespace pelorus {

using Kind = Bound::Kind;

Value computed(const Bound& part, std::vector<Value> values, Context& context) {
    if (part.kind == Kind::Call) return part.function->call(context, values);
    if (part.kind == Kind::Select) return selectItems(values[0], values[1], values[2]);
    switch (part.op) {
        case Operator::Not:
        case Operator::Neg:
            return applyUnary(part.op, values[0]);
        case Operator::In:
            return isIn(values[0], values[1]);
        case Operator::Like:
            return isLike(values[0], values[1]);
        default:
            return applyBinary(part.op, values[0], values[1]);
    }
}

}  // namespace pelorus
