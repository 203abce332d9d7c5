// Regions: trees of operators and elementwise calls. Their instructions run one by one, which is fast for scalars and
// short vectors; the first that meets a long vector makes the machine compute the whole region instead.
#include <algorithm>

#include "common/check.h"
#include "common/thread/stack_room.h"
#include "interpreter/bytecode/effects.h"
#include "interpreter/compiler/function_compiler.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"

namespace pelorus {

constexpr size_t kMaxLeaves = 100;

static bool isElementwise(Operator op) {
    return op <= Operator::Mod && op != Operator::Dot;
}

static bool isScalarNumber(const NodeRef& node) {
    if (node->kind != NodeKind::Constant) return false;
    const Value& value = static_cast<const Constant&>(*node).value;
    return value.isScalar() && (isNumeric(value.type()) || isTemporal(value.type()) || isLiteral(value.type()));
}

static bool isLeafName(const NodeRef& node) {
    return node->kind == NodeKind::Name &&
           static_cast<const Name&>(*node).name.find_first_not_of("0123456789") == std::string::npos;
}

// Returns the built-in that such a call runs, when element i of its result depends on element i of its arguments only.
Ref<Function> FunctionCompiler::elementwiseFunction(const Call& call) {
    if (call.callee->kind != NodeKind::Name || call.arguments.empty()) return {};
    const auto& name = static_cast<const Name&>(*call.callee);
    Operand variable;
    if (isAttribute(name.name) || (!name.functionOnly && findVariable(name.name, variable))) return {};
    if (isMethodName(name.name)) return {};
    const Ref<Function> function = findFunction(name.name);
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(function.get());
    if (!builtin) return {};
    const Declaration& declared = builtin->declaration();
    const auto count = static_cast<int>(call.arguments.size());
    const bool isByElement = declared.kind == FunctionKind::Elementwise ||
                             (declared.elementwiseFrom >= 0 && count >= declared.elementwiseFrom);
    if (!isByElement || declared.effect != Effect::Pure) return {};
    if (count < builtin->signature().minArguments() || count > builtin->signature().maxArguments()) return {};
    const bool isPlain = std::all_of(call.arguments.begin(), call.arguments.end(), [](const Argument& a) {
        return a.keyword.empty() && a.value->kind != NodeKind::Omitted && a.value->kind != NodeKind::Alias &&
               a.value->kind != NodeKind::Star;
    });
    return isPlain ? function : Ref<Function>();
}

// Returns the tree with names "0", "1" … for its leaves: nodes that are neither operators, nor such calls, nor numbers.
NodeRef FunctionCompiler::regionPart(const NodeRef& node, NodeList& leaves, int& steps) {
    requireStackRoom();
    if (leaves.size() > kMaxLeaves) return node;  // no region any more
    if (node->kind == NodeKind::Binary && isElementwise(static_cast<const Binary&>(*node).op)) {
        const auto& n = static_cast<const Binary&>(*node);
        NodeRef left = regionPart(n.left, leaves, steps);
        NodeRef right = regionPart(n.right, leaves, steps);
        ++steps;
        return makeRef<Binary>(n.op, std::move(left), std::move(right), n.position);
    }
    if (node->kind == NodeKind::Unary) {
        const auto& n = static_cast<const Unary&>(*node);
        ++steps;
        return makeRef<Unary>(n.op, regionPart(n.operand, leaves, steps), n.position);
    }
    if (node->kind == NodeKind::Call) {
        const auto& call = static_cast<const Call&>(*node);
        if (NodeRef operation = asOperator(call)) return regionPart(operation, leaves, steps);
        if (elementwiseFunction(call)) {
            std::vector<Argument> arguments;
            for (const Argument& a : call.arguments) arguments.push_back({"", regionPart(a.value, leaves, steps)});
            ++steps;
            return makeRef<Call>(call.callee, std::move(arguments), call.style, call.position);
        }
    }
    if (isScalarNumber(node)) return node;
    size_t place = leaves.size();
    // A variable is one leaf however often it occurs.
    for (size_t i = 0; node->kind == NodeKind::Name && i < leaves.size(); ++i) {
        const bool isName = leaves[i]->kind == NodeKind::Name;
        if (isName && static_cast<const Name&>(*node).name == static_cast<const Name&>(*leaves[i]).name) place = i;
    }
    if (place == leaves.size()) leaves.push_back(node);
    return makeRef<Name>(std::to_string(place), node->position);
}

// && and || of scalars may skip their right side: not in a region.
static bool mayBeSkipped(const Node& part) {
    switch (part.kind) {
        case NodeKind::Binary: {
            const auto& n = static_cast<const Binary&>(part);
            const bool isPlain = n.right->kind == NodeKind::Name || n.right->kind == NodeKind::Constant;
            return ((n.op == Operator::And || isOr(n.op)) && !isPlain) || mayBeSkipped(*n.left) ||
                   mayBeSkipped(*n.right);
        }
        case NodeKind::Unary:
            return mayBeSkipped(*static_cast<const Unary&>(part).operand);
        case NodeKind::Call: {
            const auto& arguments = static_cast<const Call&>(part).arguments;
            return std::any_of(arguments.begin(), arguments.end(),
                               [](const Argument& a) { return mayBeSkipped(*a.value); });
        }
        default:
            return false;
    }
}

// A leaf that changes variables in place, or has other effects, must not be computed before the code to the left of it.
bool FunctionCompiler::mayChange(const NodeRef& leaf, bool anything) {
    bool changes = false;
    rewrite(leaf, [&](const NodeRef& part) {
        const bool isFunctionMade = part->kind == NodeKind::Partial || part->kind == NodeKind::HigherOrder;
        changes = changes || isFunctionMade || part->kind == NodeKind::Query;
        if (part->kind == NodeKind::Call) {
            const auto& call = static_cast<const Call&>(*part);
            Ref<Function> function;
            if (call.callee->kind == NodeKind::Name) {
                const auto& name = static_cast<const Name&>(*call.callee);
                Operand variable;
                if (name.functionOnly || !findVariable(name.name, variable)) function = findFunction(name.name);
            }
            changes = changes || !function || (anything && effectOf(*function) == Effect::Writes);
            for (size_t i = 0; function && i < call.arguments.size(); ++i)
                changes = changes || changesArgument(*function, i);
        }
        return changes ? part : NodeRef();
    });
    return changes;
}

static bool holdsCall(const Node& part) {
    if (part.kind == NodeKind::Call) return true;
    if (part.kind == NodeKind::Unary) return holdsCall(*static_cast<const Unary&>(part).operand);
    if (part.kind != NodeKind::Binary) return false;
    return holdsCall(*static_cast<const Binary&>(part).left) || holdsCall(*static_cast<const Binary&>(part).right);
}

void FunctionCompiler::regionCode(const NodeRef& part, const std::vector<Operand>& leaves, Operand target) {
    const auto operandOf = [&](const NodeRef& n) -> Operand {
        if (n->kind == NodeKind::Name) {
            const auto place = static_cast<size_t>(std::stoi(static_cast<const Name&>(*n).name));
            CHECK(place < leaves.size()) << "a name within a region is the number of a leaf";
            return leaves[place];
        }
        if (n->kind == NodeKind::Constant) return constant(static_cast<const Constant&>(*n).value);
        const Operand inner = newRegister();
        regionCode(n, leaves, inner);
        return inner;
    };
    switch (part->kind) {
        case NodeKind::Unary: {
            const auto& n = static_cast<const Unary&>(*part);
            emit(Op::Unary, target, operandOf(n.operand), 0, static_cast<uint8_t>(n.op));
            return;
        }
        case NodeKind::Binary: {
            const auto& n = static_cast<const Binary&>(*part);
            const Operand left = operandOf(n.left);
            const Operand right = operandOf(n.right);
            emit(binaryOp(n.op), target, left, right, static_cast<uint8_t>(n.op));
            return;
        }
        case NodeKind::Call: {
            const auto& n = static_cast<const Call&>(*part);
            CallSite site;
            site.callee = callee(n.callee);
            site.count = static_cast<uint16_t>(n.arguments.size());
            site.base = static_cast<uint16_t>(nextRegister_);
            site.isInRegion = true;
            for (size_t i = 0; i < n.arguments.size(); ++i) newRegister();
            for (size_t i = 0; i < n.arguments.size(); ++i) {
                regionCode(n.arguments[i].value, leaves, operand(Space::Frame, site.base + static_cast<int>(i)));
            }
            const SourcePosition outer = position_;
            if (n.position.known()) position_ = n.position;
            emit(Op::Call, target, callSite(std::move(site)));
            position_ = outer;
            return;
        }
        default:
            emit(Op::Move, target, operandOf(part));
    }
}

// Returns whether the operands of the first operands are nested deeper than a region may be. Each level of such an
// expression asks for a region of its own: without the bound all of them would walk to the end.
static bool isDeep(const NodeRef& node) {
    constexpr int kMaxDepth = 256;
    const Node* part = node.get();
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        if (part->kind == NodeKind::Binary)
            part = static_cast<const Binary&>(*part).left.get();
        else if (part->kind == NodeKind::Unary)
            part = static_cast<const Unary&>(*part).operand.get();
        else
            return false;
    }
    return true;
}

bool FunctionCompiler::region(const NodeRef& node, Operand target) {
    if (isDeep(node)) return false;
    NodeList leaves;
    int steps = 0;
    const NodeRef expression = regionPart(node, leaves, steps);
    if (steps < 2 || leaves.empty() || leaves.size() > kMaxLeaves) return false;
    if (std::any_of(leaves.begin(), leaves.end(), isLeafName)) return false;  // already inside a region
    const bool areSimple = std::all_of(leaves.begin(), leaves.end(), [](const NodeRef& leaf) {
        return leaf->kind == NodeKind::Name || leaf->kind == NodeKind::Constant;
    });
    const bool hasCall = holdsCall(*expression);
    if (mayBeSkipped(*expression) && (!areSimple || hasCall)) return false;
    const auto changes = [&](const NodeRef& leaf) { return mayChange(leaf, hasCall); };
    if (!areSimple && std::any_of(leaves.begin(), leaves.end(), changes)) return false;
    Region region;
    for (const NodeRef& leaf : leaves) region.operands.push_back(this->expression(leaf));
    region.begin = static_cast<int32_t>(here());
    regionCode(expression, region.operands, target);
    region.end = static_cast<int32_t>(here());
    CHECK(region.end > region.begin) << "a region has instructions";
    region.target = target;
    region.programs = std::make_shared<RegionPrograms>(expression);
    code_->regions.push_back(std::move(region));
    return true;
}

}  // namespace pelorus
