#include <algorithm>

#include "common/thread/stack_room.h"
#include "interpreter/compiler/function_compiler.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/late_function.h"
#include "runtime/code/column_name.h"
#include "runtime/code/query.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

// Returns the operand of nodes that need no instruction: constants and variables.
bool FunctionCompiler::directOperand(const Node& node, Operand& result) {
    if (node.kind == NodeKind::Constant) {
        result = constant(static_cast<const Constant&>(node).value);
        return true;
    }
    if (node.kind == NodeKind::Omitted) {
        result = constant(omitted());
        return true;
    }
    if (node.kind != NodeKind::Name) return false;
    const auto& n = static_cast<const Name&>(node);
    if (!n.functionOnly && isAttribute(n.name)) return false;
    if (!n.functionOnly && findVariable(n.name, result)) return true;
    // A shared object hides a built-in of the same name.
    if (!n.functionOnly && isShared(n.name)) return false;
    Ref<Function> f = findFunction(n.name);
    if (!f) return false;
    result = callee(NodeRef(const_cast<Node*>(&node)));
    return true;
}

Operand FunctionCompiler::expression(const NodeRef& node) {
    Operand direct;
    if (directOperand(*node, direct)) return direct;
    Operand target = newRegister();
    expressionInto(node, target);
    return target;
}

// Only the last instruction writes `target`: it may be a variable that the expression still reads.
void FunctionCompiler::expressionInto(const NodeRef& node, Operand target) {
    requireStackRoom();
    Operand direct;
    if (directOperand(*node, direct)) {
        emit(Op::Move, target, direct);
        return;
    }
    SourcePosition outer = position_;
    if (node->position.known()) position_ = node->position;
    int mark = std::max(nextRegister_, spaceOf(target) == 0 ? indexOf(target) + 1 : 0);
    nextRegister_ = mark;
    switch (node->kind) {
        case NodeKind::Name:
            name(static_cast<const Name&>(*node), target);
            break;
        case NodeKind::Unary: {
            const auto& n = static_cast<const Unary&>(*node);
            if (region(node, target)) break;
            emit(Op::Unary, target, expression(n.operand), 0, static_cast<uint8_t>(n.op));
            break;
        }
        case NodeKind::Binary:
            binary(static_cast<const Binary&>(*node), target);
            break;
        case NodeKind::Ternary:
            ternary(static_cast<const Ternary&>(*node), target);
            break;
        case NodeKind::Call:
            call(static_cast<const Call&>(*node), target);
            break;
        case NodeKind::Partial: {
            const auto& n = static_cast<const Partial&>(*node);
            partial(n.callee, n.arguments, target);
            break;
        }
        case NodeKind::HigherOrder:
            higherOrder(static_cast<const HigherOrder&>(*node), target);
            break;
        case NodeKind::Index:
            index(static_cast<const Index&>(*node), target);
            break;
        case NodeKind::Member:
            member(static_cast<const Member&>(*node), target);
            break;
        case NodeKind::TupleLiteral:
            sequenceOf(Op::MakeTuple, static_cast<const TupleLiteral&>(*node).items, target);
            break;
        case NodeKind::ListLiteral:
            sequenceOf(Op::MakeList, static_cast<const ListLiteral&>(*node).items, target);
            break;
        case NodeKind::DictionaryLiteral:
            dictionary(static_cast<const DictionaryLiteral&>(*node), target);
            break;
        case NodeKind::Lambda:
            lambda(static_cast<const Lambda&>(*node).function, target);
            break;
        case NodeKind::Metacode:
            emit(Op::MakeCode, target, constant(codeValue(static_cast<const Metacode&>(*node).code)));
            break;
        case NodeKind::Query:
            emit(Op::Query, target, constant(codeValue(node)));
            break;
        case NodeKind::Alias:
            expressionInto(static_cast<const Alias&>(*node).value, target);
            break;
        case NodeKind::MacroColumn:
            throw SyntaxError(node->position,
                              "A macro variable belongs inside metacode, as in <select _$name from t>.");
        case NodeKind::Window:
            throw SyntaxError(node->position, "A window function can't stand in where or group by. RefId: S02046",
                              "Compute it in a query of its own, and filter the result.");
        case NodeKind::Star:
            throw SyntaxError(node->position, "* is a column list only inside a query.");
        default:
            throw SyntaxError(node->position, "A statement can't be part of an expression.");
    }
    release(mark);
    position_ = outer;
}

void FunctionCompiler::name(const Name& node, Operand target) {
    if (!node.functionOnly && isAttribute(node.name)) {
        attribute(node.name, target);
        return;
    }
    if (!node.functionOnly && isShared(node.name)) {
        emit(Op::LoadShared, target, constant(Value::ofString(node.name)));
        return;
    }
    if (Ref<Function> later = laterFunction(node.name)) {
        emit(Op::Move, target, constant(Value::of(later)));
        return;
    }
    unknownName(node.name, node.position);
}

// typestr(x) == INT means the name of the type, not its number; null for everything else.
static NodeRef withTypeName(const Binary& node) {
    if (node.op != Operator::Eq && node.op != Operator::Ne) return nullptr;
    auto isCall = [](const NodeRef& n) {
        if (n->kind != NodeKind::Call) return false;
        const NodeRef& callee = static_cast<const Call&>(*n).callee;
        return roleOf(callee) == Role::TypeName;
    };
    auto spelled = [](const NodeRef& n) {
        const bool named = n->kind == NodeKind::Constant && !static_cast<const Constant&>(*n).spelling.empty();
        if (!named) return NodeRef();
        return NodeRef(makeRef<Constant>(Value::ofString(static_cast<const Constant&>(*n).spelling), n->position));
    };
    if (isCall(node.left)) {
        if (NodeRef name = spelled(node.right)) return makeRef<Binary>(node.op, node.left, name, node.position);
    } else if (isCall(node.right)) {
        if (NodeRef name = spelled(node.left)) return makeRef<Binary>(node.op, name, node.right, node.position);
    }
    return nullptr;
}

void FunctionCompiler::binary(const Binary& node, Operand target) {
    NodeRef self(const_cast<Binary*>(&node));
    if (node.op == Operator::EachAt) {
        // x @ i is a call: it may be one of a script's function.
        auto function = makeRef<Name>("eachAt", node.position);
        function->functionOnly = true;
        std::vector<Argument> operands = {{"", node.left}, {"", node.right}};
        call(*makeRef<Call>(std::move(function), std::move(operands), Call::Style::Function, node.position), target);
        return;
    }
    if (NodeRef named = withTypeName(node)) return binary(static_cast<const Binary&>(*named), target);
    if (region(self, target)) return;
    bool trivialRight = node.right->kind == NodeKind::Constant || node.right->kind == NodeKind::Name;
    if ((node.op == Operator::And || isOr(node.op)) && !trivialRight) {
        shortCircuit(node, target);
        return;
    }
    Operand left = expression(node.left);
    Operand right = expression(node.right);
    emit(binaryOp(node.op), target, left, right, static_cast<uint8_t>(node.op));
}

void FunctionCompiler::shortCircuit(const Binary& node, Operand target) {
    Operand result = newRegister();
    expressionInto(node.left, result);
    size_t decided = emitJump(node.op == Operator::And ? Op::JumpIfFalseBool : Op::JumpIfTrueBool, result);
    Operand right = expression(node.right);
    emit(binaryOp(node.op), result, result, right, static_cast<uint8_t>(node.op));
    patch(decided);
    emit(Op::Move, target, result);
}

// Returns whether the code of an expression contains a ternary.
static bool holdsTernary(const NodeRef& node) {
    bool found = false;
    rewrite(node, [&](const NodeRef& part) {
        found = found || part->kind == NodeKind::Ternary || part->kind == NodeKind::Lambda;
        return found ? part : NodeRef();
    });
    return found;
}

// Compiles each branch once, with a test between them whether the condition was a scalar: nested ones stay linear.
void FunctionCompiler::nestedTernary(const Ternary& node, Operand target) {
    Operand condition = newRegister();
    Operand a = newRegister();
    Operand b = newRegister();
    expressionInto(node.condition, condition);
    size_t items = emitJump(Op::JumpUnlessScalar, condition);
    size_t isFalse = emitJump(Op::JumpIfFalse, condition);
    patch(items);
    expressionInto(node.then, a);
    size_t otherwise = emitJump(Op::JumpUnlessScalar, condition);
    emit(Op::Take, target, a);
    size_t endThen = emitJump(Op::Jump);
    patch(isFalse);
    patch(otherwise);
    expressionInto(node.otherwise, b);
    size_t select = emitJump(Op::JumpUnlessScalar, condition);
    emit(Op::Take, target, b);
    size_t endElse = emitJump(Op::Jump);
    patch(select);
    emit(Op::Select, target, condition, a);
    patch(endThen);
    patch(endElse);
}

void FunctionCompiler::ternary(const Ternary& node, Operand target) {
    if (holdsTernary(node.then) || holdsTernary(node.otherwise)) return nestedTernary(node, target);
    // A scalar condition takes the fast path; the branches are short enough to be compiled twice.
    Operand condition = newRegister();
    expressionInto(node.condition, condition);
    size_t items = emitJump(Op::JumpUnlessScalar, condition);
    size_t otherwise = emitJump(Op::JumpIfFalse, condition);
    expressionInto(node.then, target);
    size_t endThen = emitJump(Op::Jump);
    patch(otherwise);
    expressionInto(node.otherwise, target);
    size_t endElse = emitJump(Op::Jump);
    patch(items);
    Operand a = newRegister();
    Operand b = newRegister();
    expressionInto(node.then, a);
    expressionInto(node.otherwise, b);
    emit(Op::Select, target, condition, a);
    patch(endThen);
    patch(endElse);
}

void FunctionCompiler::index(const Index& node, Operand target) {
    Operand object = expression(node.object);
    auto count = static_cast<uint8_t>(node.indices.size());
    if (count == 1) {
        Operand direct;
        if (directOperand(*node.indices[0], direct)) {
            // A single index needs no register.
            emit(Op::Index, target, object, direct, 1);
            return;
        }
    }
    Operand first = newRegister();
    for (size_t i = 1; i < node.indices.size(); ++i) newRegister();
    for (size_t i = 0; i < node.indices.size(); ++i) expressionInto(node.indices[i], static_cast<Operand>(first + i));
    emit(Op::Index, target, object, first, count);
}

void FunctionCompiler::member(const Member& node, Operand target) {
    if (std::string path, table; catalogTable(node, path, table)) {
        // schema.table, catalog.schema.table, where no variable has the name
        const std::string first = path.substr(0, path.find('.'));
        Operand ignored;
        if (!findVariable(first, ignored) && !isAttribute(first) && !isShared(first) && !findFunction(first)) {
            NodeList names = {makeRef<Constant>(Value::ofString(path), node.position),
                              makeRef<Constant>(Value::ofString(table), node.position)};
            std::vector<Argument> arguments;
            for (NodeRef& name : names) arguments.push_back({"", std::move(name)});
            auto load = makeRef<Name>("loadTable", node.position);
            load->functionOnly = true;
            return expressionInto(makeRef<Call>(load, std::move(arguments), Call::Style::Function, node.position),
                                  target);
        }
    }
    Operand object = expression(node.object);
    if (node.key) {
        Operand key = newRegister();
        expressionInto(node.key, key);
        emit(Op::Index, target, object, key, 1);
        return;
    }
    emit(Op::Member, target, object, constant(Value::ofString(node.name)));
}

void FunctionCompiler::sequenceOf(Op op, const NodeList& items, Operand target) {
    int base = nextRegister_;
    for (size_t i = 0; i < items.size(); ++i) newRegister();
    for (size_t i = 0; i < items.size(); ++i) {
        expressionInto(items[i], operand(Space::Frame, base + static_cast<int>(i)));
    }
    emit(op, target, operand(Space::Frame, base), static_cast<Operand>(items.size()));
}

void FunctionCompiler::dictionary(const DictionaryLiteral& node, Operand target) {
    int base = nextRegister_;
    for (size_t i = 0; i < node.entries.size() * 2; ++i) newRegister();
    for (size_t i = 0; i < node.entries.size(); ++i) {
        expressionInto(node.entries[i].first, operand(Space::Frame, base + static_cast<int>(2 * i)));
        expressionInto(node.entries[i].second, operand(Space::Frame, base + static_cast<int>(2 * i) + 1));
    }
    emit(Op::MakeDictionary, target, operand(Space::Frame, base), static_cast<Operand>(node.entries.size()));
}

void FunctionCompiler::lambda(const FunctionBody& body, Operand target) {
    FunctionCompiler inner(surroundings_, this);
    inner.code_->origin = code_->origin;
    Ref<CompiledFunction> compiled = inner.function(body, {});
    if (inner.selfCell_ && surroundings_.session) surroundings_.session->own(inner.selfCell_);
    Ref<Function> closure = makeRef<Closure>(compiled, std::vector<Value>());
    code_->captureLists.push_back(inner.captureSources_);
    emit(Op::MakeClosure, target, constant(Value::of(closure)), static_cast<Operand>(code_->captureLists.size() - 1));
}

}  // namespace pelorus
