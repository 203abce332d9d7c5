#include "interpreter/fusion/fused_region.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/operators.h"
#include "runtime/vector.h"

namespace pelorus {

constexpr int64_t kLongVector = 512;

static bool isBlockOperand(const Value& v) {
    bool plain = isNumeric(v.type()) || isTemporal(v.type());
    return (v.isVector() && plain) || (v.isScalar() && plain && v.type() != Type::Duration);
}

bool isWorthFusing(std::span<const Value* const> leaves) {
    bool isLong = false;
    for (const Value* v : leaves) {
        if (v->isTypedVector() && v->vector().size() >= kLongVector) isLong = true;
    }
    if (!isLong) return false;
    for (const Value* v : leaves) {
        if (!isBlockOperand(*v)) return false;
    }
    return true;
}

BlockProgram::Register addToProgram(BlockProgram& program, const Node& node,
                                    const std::function<BlockProgram::Register(const Name&)>& leaf) {
    switch (node.kind) {
        case NodeKind::Name:
            return leaf(static_cast<const Name&>(node));
        case NodeKind::Constant:
            return program.constant(static_cast<const Constant&>(node).value);
        case NodeKind::Unary: {
            const auto& n = static_cast<const Unary&>(node);
            auto a = addToProgram(program, *n.operand, leaf);
            return n.op == Operator::Neg ? program.negate(a) : program.logicalNot(a);
        }
        case NodeKind::Binary: {
            const auto& n = static_cast<const Binary&>(node);
            auto a = addToProgram(program, *n.left, leaf);
            auto b = addToProgram(program, *n.right, leaf);
            return program.binary(n.op, a, b);
        }
        default:
            throw InternalError("a node that is no elementwise operator in a fused region");
    }
}

Value runFused(const FusedRegion& region, std::span<const Value* const> leaves) {
    int64_t count = -1;
    for (const Value* leaf : leaves) {
        const Value& v = *leaf;
        if (v.isScalar()) continue;
        if (count >= 0 && v.size() != count) {
            throw UserError(fmt::format("The vectors don't have the same length: {} and {}.", count, v.size()));
        }
        count = v.size();
    }
    BlockProgram program;
    std::vector<const Vector*> inputs;
    std::vector<BlockProgram::Register> registers;
    for (const Value* leaf : leaves) {
        const Value& v = *leaf;
        if (v.isScalar()) {
            registers.push_back(program.constant(v));
        } else {
            inputs.push_back(&v.vector());
            registers.push_back(program.input(static_cast<int>(inputs.size()) - 1, v.type()));
        }
    }
    program.setResult(addToProgram(program, *region.expression, [&](const Name& name) {
        return registers[static_cast<size_t>(std::stoi(name.name))];
    }));
    return Value::of(program.run(inputs, count));
}

}  // namespace pelorus
