#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interpreter/function_compiler.h"
#include "interpreter/late_function.h"
#include "interpreter/parser.h"
#include "runtime/code/column_name.h"
#include "runtime/code/query.h"
#include "runtime/dictionary.h"
#include "runtime/function/registry.h"

namespace pelorus {

// The operand of what needs no instruction: constants and variables.
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
    // A shared object hides a built-in of the same name: FUN-23.
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
            if (fusedRegion(node, target)) break;
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

// The function that a call names, or the value that holds it.
Operand FunctionCompiler::callee(const NodeRef& node) {
    if (node->kind == NodeKind::Name) {
        const auto& n = static_cast<const Name&>(*node);
        Operand variable;
        if (!n.functionOnly && findVariable(n.name, variable)) return variable;
        if (Ref<Function> f = findFunction(n.name)) {
            bool own = f->portableKind() == "closure" && f.get() != selfCell_.get();
            auto known = [&](const auto& r) { return r.first == n.name; };
            if (own && std::none_of(code_->references.begin(), code_->references.end(), known)) {
                code_->references.emplace_back(n.name, f);
            }
            return constant(Value::of(f));
        }
        if (!isShared(n.name)) {
            if (Ref<Function> later = laterFunction(n.name)) return constant(Value::of(later));
            throw SyntaxError(n.position,
                              fmt::format("The function or procedure '{}' is not defined. RefId: S06004", n.name),
                              nearestTo(n.name));
        }
    }
    return expression(node);
}

Operand FunctionCompiler::called(const NodeRef& node) {
    if (node->kind != NodeKind::Name) return callee(node);
    const auto& n = static_cast<const Name&>(*node);
    Operand ignored;
    const bool known =
        (!n.functionOnly && (isAttribute(n.name) || findVariable(n.name, ignored) || isShared(n.name))) ||
        findFunction(n.name);
    if (known) return callee(node);
    return constant(Value::of(Ref<Function>(makeRef<LateFunction>(n.name, nearestTo(n.name)))));
}

static bool isFusible(Operator op) {
    return op <= Operator::Mod && op != Operator::Dot;
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
    if (fusedRegion(self, target)) return;
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

// Leaves are everything below the elementwise operators. Names with digits stand for them in the region.
void FunctionCompiler::collectFusedLeaves(const NodeRef& node, FusedRegion& region, NodeRef& rebuilt, int& operators) {
    if (node->kind == NodeKind::Binary && isFusible(static_cast<const Binary&>(*node).op)) {
        const auto& n = static_cast<const Binary&>(*node);
        NodeRef left, right;
        collectFusedLeaves(n.left, region, left, operators);
        collectFusedLeaves(n.right, region, right, operators);
        ++operators;
        rebuilt = makeRef<Binary>(n.op, left, right, n.position);
        return;
    }
    if (node->kind == NodeKind::Unary) {
        const auto& n = static_cast<const Unary&>(*node);
        NodeRef inner;
        collectFusedLeaves(n.operand, region, inner, operators);
        ++operators;
        rebuilt = makeRef<Unary>(n.op, inner, n.position);
        return;
    }
    // The same variable or constant is one leaf however often it stands there.
    for (size_t i = 0; i < region.leaves.size(); ++i) {
        bool same = node->kind == NodeKind::Name && region.leaves[i]->kind == NodeKind::Name &&
                    static_cast<const Name&>(*node).name == static_cast<const Name&>(*region.leaves[i]).name;
        if (same) {
            rebuilt = makeRef<Name>(std::to_string(i), node->position);
            return;
        }
    }
    rebuilt = makeRef<Name>(std::to_string(region.leaves.size()), node->position);
    region.leaves.push_back(node);
}

// Several elementwise operators are a region. Its instructions run one by one, which scalars and short vectors do fast;
// the first that meets a long vector has the machine compute the whole region instead.
bool FunctionCompiler::fusedRegion(const NodeRef& node, Operand target) {
    FusedRegion region;
    int operators = 0;
    collectFusedLeaves(node, region, region.expression, operators);
    if (operators < 2 || region.leaves.size() > 100) return false;
    for (const NodeRef& leaf : region.leaves) {
        if (leaf->kind == NodeKind::Name &&
            static_cast<const Name&>(*leaf).name.find_first_not_of("0123456789") == std::string::npos) {
            return false;  // already inside a region
        }
    }
    bool guards = false;  // && and || of scalars may skip their right side: not here
    std::function<void(const Node&)> look = [&](const Node& n) {
        if (n.kind == NodeKind::Binary) {
            const auto& b = static_cast<const Binary&>(n);
            bool plain = b.right->kind == NodeKind::Name;
            if ((b.op == Operator::And || isOr(b.op)) && !plain) guards = true;
            look(*b.left);
            look(*b.right);
        } else if (n.kind == NodeKind::Unary) {
            look(*static_cast<const Unary&>(n).operand);
        }
    };
    look(*region.expression);
    auto simple = [](const NodeRef& leaf) { return leaf->kind == NodeKind::Name || leaf->kind == NodeKind::Constant; };
    bool allSimple = std::all_of(region.leaves.begin(), region.leaves.end(), simple);
    if (guards && !allSimple) return false;
    for (const NodeRef& leaf : region.leaves) region.operands.push_back(expression(leaf));
    region.begin = static_cast<int32_t>(here());
    std::function<Operand(const NodeRef&, bool)> plainly = [&](const NodeRef& n, bool isRoot) -> Operand {
        if (n->kind == NodeKind::Name) {
            return region.operands[static_cast<size_t>(std::stoi(static_cast<const Name&>(*n).name))];
        }
        if (n->kind == NodeKind::Unary) {
            const auto& u = static_cast<const Unary&>(*n);
            Operand inner = plainly(u.operand, false);
            Operand out = isRoot ? target : newRegister();
            emit(Op::Unary, out, inner, 0, static_cast<uint8_t>(u.op));
            return out;
        }
        const auto& b = static_cast<const Binary&>(*n);
        Operand left = plainly(b.left, false);
        Operand right = plainly(b.right, false);
        Operand out = isRoot ? target : newRegister();
        emit(binaryOp(b.op), out, left, right, static_cast<uint8_t>(b.op));
        return out;
    };
    plainly(region.expression, true);
    region.end = static_cast<int32_t>(here());
    region.target = target;
    code_->fused.push_back(std::move(region));
    return true;
}

void FunctionCompiler::ternary(const Ternary& node, Operand target) {
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

void FunctionCompiler::fillArguments(const std::vector<Argument>& arguments, CallSite& site) {
    bool keywords = false;
    for (const Argument& a : arguments) keywords |= !a.keyword.empty();
    site.count = static_cast<uint16_t>(arguments.size());
    site.base = static_cast<uint16_t>(nextRegister_);
    for (size_t i = 0; i < arguments.size(); ++i) newRegister();
    for (size_t i = 0; i < arguments.size(); ++i) {
        expressionInto(arguments[i].value, operand(Space::Frame, site.base + static_cast<int>(i)));
        if (keywords) site.keywords.push_back(arguments[i].keyword);
    }
}

// table(x, y as b): how the arguments are written stands in the code only, so it travels as a last argument.
static bool isSpelled(const Call& node) {
    if (node.callee->kind != NodeKind::Name) return false;
    const BuiltinFunction* f = FunctionRegistry::instance().find(static_cast<const Name&>(*node.callee).name);
    if (!f || f->declaration().takes[0].special != Takes::Spelled) return false;
    return std::any_of(node.arguments.begin(), node.arguments.end(), [](const Argument& a) {
        return a.value->kind == NodeKind::Alias || a.value->kind == NodeKind::Name;
    });
}

// table([x as a, y as b]) is table(x as a, y as b); null for everything else.
static Ref<Call> withColumnsOfList(const Call& node) {
    if (node.arguments.size() != 1 || roleOf(node.callee) != Role::TableFromColumns) return Ref<Call>();
    if (!node.arguments[0].keyword.empty()) return Ref<Call>();
    if (node.arguments[0].value->kind != NodeKind::ListLiteral) return Ref<Call>();
    const NodeList& items = static_cast<const ListLiteral&>(*node.arguments[0].value).items;
    auto isNamed = [](const NodeRef& item) { return item->kind == NodeKind::Alias; };
    if (std::none_of(items.begin(), items.end(), isNamed)) return Ref<Call>();
    std::vector<Argument> columns;
    for (const NodeRef& item : items) columns.push_back({"", item});
    return makeRef<Call>(node.callee, std::move(columns), node.style, node.position);
}

static Argument columnNames(const Call& node) {
    std::vector<std::string> names;
    std::vector<int8_t> aliased;
    for (const Argument& a : node.arguments) {
        aliased.push_back(a.value->kind == NodeKind::Alias);
        if (a.value->kind == NodeKind::Alias) {
            names.push_back(static_cast<const Alias&>(*a.value).names[0]);
        } else {
            names.push_back(a.value->kind == NodeKind::Name ? static_cast<const Name&>(*a.value).name : "");
        }
    }
    auto d = makeRef<Dictionary>(Type::String, Type::Any, true);
    d->set(Value::ofString(" names"), Value::of(Vector::ofStrings(names)));
    d->set(Value::ofString(" aliased"), Value::of(Vector::of(Type::Bool, aliased)));
    return {"", makeRef<Constant>(Value::of(d), node.position)};
}

// add(x, y) is x + y: one instruction instead of a call, and part of a fused region. && and || stay calls, since the
// operators may skip their right side.
NodeRef FunctionCompiler::asOperator(const Call& node) {
    if (node.callee->kind != NodeKind::Name || node.arguments.size() != 2) return nullptr;
    const auto& n = static_cast<const Name&>(*node.callee);
    const OperatorFacts* op = operatorByFunction(n.name);
    if (!op || op->op < Operator::Lt || op->op > Operator::Mod || op->op == Operator::Dot) return nullptr;
    Operand variable;
    bool builtin = FunctionRegistry::instance().find(n.name) && !isShared(n.name) &&
                   (n.functionOnly || !findVariable(n.name, variable));
    for (const Argument& a : node.arguments) {
        bool plain = a.keyword.empty() && a.value->kind != NodeKind::Omitted && a.value->kind != NodeKind::Alias;
        if (!builtin || !plain) return nullptr;
    }
    return makeRef<Binary>(op->op, node.arguments[0].value, node.arguments[1].value, node.position);
}

// groupby(f, x, key) and f:G(x, key) name the columns of their result after the code of x and key.
static bool namesGroups(const Call& node) {
    for (const Argument& a : node.arguments) {
        if (!a.keyword.empty()) return false;
    }
    if (node.callee->kind == NodeKind::HigherOrder) {
        return static_cast<const HigherOrder&>(*node.callee).pattern == 'G' && node.arguments.size() == 2;
    }
    if (node.callee->kind != NodeKind::Name || node.arguments.size() != 3) return false;
    const BuiltinFunction* f = FunctionRegistry::instance().find(static_cast<const Name&>(*node.callee).name);
    return f && f->declaration().takes[1].special == Takes::Spelled;
}

static Value spellingOf(const NodeRef& node) {
    auto name = [](const NodeRef& n) { return n->kind == NodeKind::Name ? static_cast<const Name&>(*n).name : ""; };
    std::vector<std::string> names;
    if (node->kind == NodeKind::ListLiteral) {
        for (const NodeRef& n : static_cast<const ListLiteral&>(*node).items) names.push_back(name(n));
    } else if (node->kind == NodeKind::TupleLiteral) {
        for (const NodeRef& n : static_cast<const TupleLiteral&>(*node).items) names.push_back(name(n));
    } else {
        names.push_back(name(node));
    }
    return Value::of(Vector::ofStrings(names));
}

static Argument groupNames(const Call& node) {
    const NodeRef& values = node.arguments[node.arguments.size() - 2].value;
    std::vector<Value> names = {spellingOf(values), spellingOf(node.arguments.back().value)};
    return {"", makeRef<Constant>(Value::of(makeRef<Tuple>(std::move(names))), node.position)};
}

// The first argument of each, contextby and their like is a function, though a variable of its name exists: FUN-22.
void FunctionCompiler::preferFunction(const Call& node, std::vector<Argument>& arguments) {
    if (node.callee->kind != NodeKind::Name || arguments.empty() || arguments[0].value->kind != NodeKind::Name) return;
    const BuiltinFunction* f = FunctionRegistry::instance().find(static_cast<const Name&>(*node.callee).name);
    const auto& name = static_cast<const Name&>(*arguments[0].value);
    if (!f || name.functionOnly || f->signature().parameters.empty()) return;
    if (f->declaration().takes[0].special != Takes::Function || !FunctionRegistry::instance().find(name.name)) return;
    auto function = makeRef<Name>(name.name, name.position);
    function->functionOnly = true;
    arguments[0].value = std::move(function);
}

// Built-in functions that change their first argument and return it.
static bool returnsItsArgument(const NodeRef& callee) {
    if (callee->kind != NodeKind::Name) return false;
    const BuiltinFunction* f = FunctionRegistry::instance().find(static_cast<const Name&>(*callee).name);
    return f && f->signature().mutatesFirst && !f->declaration().givesOther;
}

// a.append!(4).append!(5) changes a twice: what stands in front is called first, then the variable takes its place.
void FunctionCompiler::changesBefore(std::vector<Argument>& arguments) {
    if (arguments.empty() || arguments[0].value->kind != NodeKind::Call) return;
    const auto& inner = static_cast<const Call&>(*arguments[0].value);
    if (!returnsItsArgument(inner.callee) || inner.arguments.empty() || !inner.arguments[0].keyword.empty()) return;
    NodeRef changed = inner.arguments[0].value;
    while (changed->kind == NodeKind::Call && returnsItsArgument(static_cast<const Call&>(*changed).callee) &&
           !static_cast<const Call&>(*changed).arguments.empty()) {
        changed = static_cast<const Call&>(*changed).arguments[0].value;
    }
    NodeRef root = changed;
    while (root->kind == NodeKind::Index) root = static_cast<const Index&>(*root).object;
    if (root->kind != NodeKind::Name) return;
    const std::string& name = static_cast<const Name&>(*root).name;
    Operand variable;
    const bool own = findVariable(name, variable) && spaceOf(variable) != static_cast<int>(Space::Captures);
    if (!own && !isAttribute(name)) return;
    Operand ignored = newRegister();
    expressionInto(arguments[0].value, ignored);
    emit(Op::Move, ignored, constant(Value()));  // the variable has its object for itself again
    arguments[0].value = std::move(changed);
}

// The name in objByName(name).
static NodeRef nameOfObject(const NodeRef& node) {
    if (node->kind != NodeKind::Call) return NodeRef();
    const auto& call = static_cast<const Call&>(*node);
    const bool plain = roleOf(call.callee) == Role::ObjectByName && call.arguments.size() == 1 &&
                       call.arguments[0].keyword.empty() && call.arguments[0].value->kind != NodeKind::Omitted;
    return plain ? call.arguments[0].value : NodeRef();
}

// share(t, "st"): the name is known to what follows.
void FunctionCompiler::noteShared(const Call& node) {
    const bool shares = node.arguments.size() >= 2 && roleOf(node.callee) == Role::Share &&
                        node.arguments[1].value->kind == NodeKind::Constant;
    if (!shares) return;
    const Value& name = static_cast<const Constant&>(*node.arguments[1].value).value;
    if (name.isScalar() && name.isText()) sharedBefore().insert(std::string(name.text()));
}

void FunctionCompiler::call(const Call& node, Operand target) {
    if (NodeRef operation = asOperator(node)) {
        binary(static_cast<const Binary&>(*operation), target);
        return;
    }
    if (Ref<Call> spread = withColumnsOfList(node)) {
        call(*spread, target);
        return;
    }
    std::vector<Argument> arguments = node.arguments;
    preferFunction(node, arguments);
    if (isSpelled(node)) arguments.push_back(columnNames(node));
    if (namesGroups(node)) arguments.push_back(groupNames(node));
    // A pattern between two operands takes its left side last: `pre f:P X` is eachPre(f, X, pre).
    if (node.callee->kind == NodeKind::HigherOrder && node.style == Call::Style::Infix) {
        char pattern = static_cast<const HigherOrder&>(*node.callee).pattern;
        if (std::string_view("PAT").find(pattern) != std::string_view::npos && arguments.size() == 2) {
            std::vector<Argument> swapped{arguments[1], arguments[0]};
            call(*makeRef<Call>(node.callee, swapped, Call::Style::Function, node.position), target);
            return;
        }
    }
    bool ofSelf = false;
    Ref<Function> method = findMethod(node, ofSelf);
    if (ofSelf) arguments.insert(arguments.begin(), {"", makeRef<Name>("self", node.position)});
    CallSite site;
    Operand called = method ? constant(Value::of(method)) : this->called(node.callee);
    // A callee in a temporary stays below the arguments; a variable may be changed by evaluating them.
    site.callee = called;
    if (spaceOf(called) == static_cast<int>(Space::Constants) && !arguments.empty()) {
        const Value& value = code_->constants[static_cast<size_t>(indexOf(called))];
        if (value.isFunction() && changesArgument(value.function(), 0)) {
            changesBefore(arguments);
            if (NodeRef name = arguments[0].keyword.empty() ? nameOfObject(arguments[0].value) : NodeRef()) {
                arguments[0].value = std::move(name);
                site.firstIsByName = true;
            }
        }
    }
    fillArguments(arguments, site);
    if (spaceOf(called) == static_cast<int>(Space::Constants)) {
        const Value& value = code_->constants[static_cast<size_t>(indexOf(called))];
        bool own = value.isFunction() && value.function().kind() != Function::Kind::Native;
        if (own && node.style == Call::Style::Infix && changesArgument(value.function(), 0)) {
            throw SyntaxError(node.position,
                              fmt::format("The function {} changes its argument: it can't stand between two operands.",
                                          value.function().name()),
                              fmt::format("Call it as {}(x, y).", value.function().name()));
        }
        for (size_t i = 0; value.isFunction() && i < arguments.size(); ++i) {
            if (!changesArgument(value.function(), i)) continue;
            const NodeRef& argument = arguments[i].value;
            if (argument->kind == NodeKind::Name && !(i == 0 && site.firstIsByName)) {
                const auto& n = static_cast<const Name&>(*argument);
                Operand variable;
                if (isAttribute(n.name) || !findVariable(n.name, variable)) continue;
                requireOwn(n.name, n.position);
                if (spaceOf(variable) == static_cast<int>(Space::Captures)) continue;
                bool readOnly = std::find(readOnly_.begin(), readOnly_.end(), n.name) != readOnly_.end();
                if (readOnly) {
                    throw SyntaxError(n.position,
                                      fmt::format("Read only object can't be applied to mutable function {}",
                                                  value.function().name()),
                                      fmt::format("Declare the parameter as `mutable {}`.", n.name));
                }
                requireChangeable(n.name, n.position);
                site.inPlace.emplace_back(static_cast<int>(i), variable);
            }
        }
    }
    // What a variable holds is known when the call runs.
    bool ofVariable = node.callee->kind == NodeKind::Name && spaceOf(called) != static_cast<int>(Space::Constants);
    if (ofVariable) {
        site.calleeName = static_cast<const Name&>(*node.callee).name;
        site.function = findFunction(site.calleeName);
    }
    for (size_t i = 0; ofVariable && site.keywords.empty() && i < arguments.size(); ++i) {
        const NodeRef& argument = arguments[i].value;
        if (argument->kind != NodeKind::Name) continue;
        const std::string& name = static_cast<const Name&>(*argument).name;
        Operand variable;
        if (isAttribute(name) || !findVariable(name, variable) || !isChangeable(name)) continue;
        if (spaceOf(variable) != static_cast<int>(Space::Captures)) {
            site.changeable.emplace_back(static_cast<int>(i), variable);
        }
    }
    int base = site.base;
    std::vector<std::pair<int, NodeRef>> elements;
    if (spaceOf(called) == static_cast<int>(Space::Constants)) {
        const Value& value = code_->constants[static_cast<size_t>(indexOf(called))];
        for (size_t i = 0; value.isFunction() && i < arguments.size(); ++i) {
            const NodeRef& changed = arguments[i].value;
            bool element = changed->kind == NodeKind::Index ||
                           (changed->kind == NodeKind::Name && isAttribute(static_cast<const Name&>(*changed).name));
            if (i == 0 && site.firstIsByName) continue;
            if (element && changesArgument(value.function(), i)) {
                elements.emplace_back(static_cast<int>(i), arguments[i].value);
            }
        }
    }
    noteShared(node);
    emit(Op::Call, target, callSite(std::move(site)), elements.empty() ? 0 : 1);
    // An element that was changed goes back to where it came from.
    for (const auto& [i, element] : elements) assignTo(element, operand(Space::Frame, base + i), false);
}

void FunctionCompiler::partial(const NodeRef& calleeNode, const std::vector<Argument>& arguments, Operand target) {
    CallSite site;
    Operand called = newRegister();
    // object.method{…} arrives as method{object, …}.
    const bool method = calleeNode->kind == NodeKind::Name && !arguments.empty() &&
                        isMethodName(static_cast<const Name&>(*calleeNode).name);
    if (method) {
        const std::string& name = static_cast<const Name&>(*calleeNode).name;
        emit(Op::Move, called, constant(Value::of(Ref<Function>(makeRef<MethodFunction>(name, findFunction(name))))));
    } else {
        emit(Op::Move, called, callee(calleeNode));
    }
    site.callee = called;
    fillArguments(arguments, site);
    emit(Op::MakePartial, target, callSite(std::move(site)));
}

// The built-in behind a pattern letter; null when there is none.
static const char* patternFunction(char pattern) {
    switch (pattern) {
        case 'E':
            return "each";
        case 'L':
            return "eachLeft";
        case 'R':
            return "eachRight";
        case 'P':
            return "eachPre";
        case 'O':
            return "eachPost";
        case 'A':
            return "accumulate";
        case 'T':
            return "reduce";
        case 'G':
            return "groupby";
        case 'X':
            return "contextby";
        case 'C':
            return "cross";
        case 'U':
            return "loop";
        case 'H':
            return "byRow";
        case 'V':
            return "byColumn";
        default:
            return nullptr;
    }
}

// f:L is eachLeft{f}, f:LU eachLeft{f, , , "U"}: the rule of assembly has its place in the signature.
static std::vector<Argument> patternArguments(const HigherOrder& node, const NodeRef& function) {
    std::vector<Argument> fixed = {{"", function}};
    if (!node.rule) return fixed;
    SourcePosition p = node.position;
    NodeRef rule = makeRef<Constant>(Value::ofString(std::string(1, node.rule)), p);
    if (node.pattern == 'E') {
        fixed.push_back({"", rule});
    } else if (std::string_view("LRPOAT").find(node.pattern) != std::string_view::npos) {
        for (int i = 0; i < 2; ++i) fixed.push_back({"", makeRef<Omitted>(p)});
        fixed.push_back({"", rule});
    }
    return fixed;
}

// Of a chain the leftmost pattern takes the arguments apart first: f:E:L is each{eachLeft{f}}.
void FunctionCompiler::higherOrder(const HigherOrder& node, Operand target) {
    std::vector<const HigherOrder*> chain;
    NodeRef function;
    for (const HigherOrder* h = &node;; h = static_cast<const HigherOrder*>(h->function.get())) {
        chain.push_back(h);
        function = h->function;
        if (function->kind != NodeKind::HigherOrder) break;
    }
    for (size_t i = 0; i < chain.size(); ++i) {
        const HigherOrder& step = *chain[i];
        const char* name = step.pattern == 'E' && step.rule ? "eachByRule" : patternFunction(step.pattern);
        if (!name || !FunctionRegistry::instance().find(name)) {
            throw SyntaxError(step.position, fmt::format("The pattern :{} is not known.", step.pattern));
        }
        Ref<Name> builtin = makeRef<Name>(name, step.position);
        builtin->functionOnly = true;
        std::vector<Argument> fixed = patternArguments(step, function);
        if (i + 1 == chain.size()) {
            partial(builtin, fixed, target);
        } else {
            function = makeRef<Partial>(builtin, fixed, step.position);
        }
    }
}

void FunctionCompiler::index(const Index& node, Operand target) {
    Operand object = expression(node.object);
    auto count = static_cast<uint8_t>(node.indices.size());
    if (count == 1) {
        Operand direct;
        if (directOperand(*node.indices[0], direct)) {
            // One index needs no register of its own.
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
