// Calls: the callee, its arguments, and which of them it changes in place.
#include <fmt/format.h>

#include <algorithm>

#include "interpreter/compiler/function_compiler.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/late_function.h"
#include "runtime/code/column_name.h"
#include "runtime/registry/name_advice.h"
#include "runtime/registry/registry.h"
#include "runtime/value/dictionary.h"

namespace pelorus {

// Returns the function that a call names, or the value that holds it.
Operand FunctionCompiler::callee(const NodeRef& node) {
    if (node->kind == NodeKind::Name) {
        const auto& n = static_cast<const Name&>(*node);
        Operand variable;
        if (!n.functionOnly && findVariable(n.name, variable)) return variable;
        if (Ref<Function> f = findFunction(n.name)) {
            const std::string_view kind = f->portableKind();
            bool own = (kind == "closure" || kind == "view") && f.get() != selfCell_.get();
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
                              nearestTo(n.name, NameUse::Called));
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
    return constant(Value::of(Ref<Function>(makeRef<LateFunction>(n.name, nearestTo(n.name, NameUse::Called)))));
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

// table(x, y as b): only the code shows how the arguments are written, so this is passed as a last argument.
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

// add(x, y) is x + y: one instruction instead of a call, and part of a region. && and || stay calls, since the
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

// Returns the name that the code of a series has: of `x as y` and t.y "y", of a variable its own; else none.
static std::string seriesName(const NodeRef& node) {
    switch (node->kind) {
        case NodeKind::Alias:
            return static_cast<const Alias&>(*node).names[0];
        case NodeKind::Name:
            return static_cast<const Name&>(*node).name;
        case NodeKind::Member:
            return static_cast<const Member&>(*node).name;
        default:
            return "";
    }
}

// Returns the names of the series of plot(data) as its last parameter: those of the elements of a list, else one.
static Argument seriesNames(const Call& node, const Signature& signature) {
    NodeRef series = node.arguments[0].value;
    // [sin, cos](x): the functions name the columns.
    if (series->kind == NodeKind::Call) {
        const NodeRef& callee = static_cast<const Call&>(*series).callee;
        if (callee->kind == NodeKind::ListLiteral || callee->kind == NodeKind::TupleLiteral) series = callee;
    }
    std::vector<std::string> names;
    if (series->kind == NodeKind::ListLiteral) {
        for (const NodeRef& n : static_cast<const ListLiteral&>(*series).items) names.push_back(seriesName(n));
    } else if (series->kind == NodeKind::TupleLiteral) {
        for (const NodeRef& n : static_cast<const TupleLiteral&>(*series).items) names.push_back(seriesName(n));
    } else {
        names.push_back(seriesName(series));
    }
    return {signature.parameters.back().name, makeRef<Constant>(Value::of(Vector::ofStrings(names)), node.position)};
}

// The first argument of each, contextby and their like is a function, though a variable of its name exists.
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

// a.append!(4).append!(5) changes a twice: the inner call comes first, then the variable takes its place.
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

// Returns the name in objByName(name), or null.
static NodeRef nameOfObject(const NodeRef& node) {
    if (node->kind != NodeKind::Call) return NodeRef();
    const auto& call = static_cast<const Call&>(*node);
    const bool plain = roleOf(call.callee) == Role::ObjectByName && call.arguments.size() == 1 &&
                       call.arguments[0].keyword.empty() && call.arguments[0].value->kind != NodeKind::Omitted;
    return plain ? call.arguments[0].value : NodeRef();
}

// share(t, "st"): the name is known to the code after it.
void FunctionCompiler::noteShared(const Call& node) {
    const bool shares = node.arguments.size() >= 2 && roleOf(node.callee) == Role::Share &&
                        node.arguments[1].value->kind == NodeKind::Constant;
    if (!shares) return;
    const Value& name = static_cast<const Constant&>(*node.arguments[1].value).value;
    if (name.isScalar() && name.isString()) sharedBefore().insert(std::string(name.string()));
}

// Notes the variables that a known function changes in place, and returns the elements that it changes: these are
// stored back after the call.
std::vector<std::pair<int, NodeRef>> FunctionCompiler::changedInPlace(const Call& node, const Function& function,
                                                                      const std::vector<Argument>& arguments,
                                                                      CallSite& site) {
    const bool own = function.kind() != Function::Kind::Native;
    if (own && node.style == Call::Style::Infix && changesArgument(function, 0)) {
        throw SyntaxError(
            node.position,
            fmt::format("The function {} changes its argument: it can't stand between two operands.", function.name()),
            fmt::format("Call it as {}(x, y).", function.name()));
    }
    std::vector<std::pair<int, NodeRef>> elements;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (!changesArgument(function, i) || (i == 0 && site.firstIsByName)) continue;
        const NodeRef& argument = arguments[i].value;
        const bool isName = argument->kind == NodeKind::Name;
        const bool ofSelf = isName && isAttribute(static_cast<const Name&>(*argument).name);
        if (argument->kind == NodeKind::Index || ofSelf) elements.emplace_back(static_cast<int>(i), argument);
        if (!isName || ofSelf) continue;
        const auto& n = static_cast<const Name&>(*argument);
        Operand variable;
        if (!findVariable(n.name, variable)) continue;
        requireOwn(n.name, n.position);
        if (spaceOf(variable) == static_cast<int>(Space::Captures)) continue;
        if (std::find(readOnly_.begin(), readOnly_.end(), n.name) != readOnly_.end()) {
            throw SyntaxError(n.position,
                              fmt::format("Read only object can't be applied to mutable function {}", function.name()),
                              fmt::format("Declare the parameter as `mutable {}`.", n.name));
        }
        requireChangeable(n.name, n.position);
        site.inPlace.emplace_back(static_cast<int>(i), variable);
    }
    return elements;
}

// Notes the variables that a function which is not known yet may change in place.
void FunctionCompiler::mayBeChanged(const std::vector<Argument>& arguments, CallSite& site) {
    for (size_t i = 0; site.keywords.empty() && i < arguments.size(); ++i) {
        const NodeRef& argument = arguments[i].value;
        if (argument->kind != NodeKind::Name) continue;
        const std::string& name = static_cast<const Name&>(*argument).name;
        Operand variable;
        if (isAttribute(name) || !findVariable(name, variable) || !isChangeable(name)) continue;
        if (spaceOf(variable) != static_cast<int>(Space::Captures)) {
            site.changeable.emplace_back(static_cast<int>(i), variable);
        }
    }
}

void FunctionCompiler::call(const Call& node, Operand target) {
    if (NodeRef operation = asOperator(node)) {
        binary(static_cast<const Binary&>(*operation), target);
        return;
    }
    if (region(NodeRef(const_cast<Call*>(&node)), target)) return;
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
    if (roleOf(node.callee) == Role::SeriesNames && !node.arguments.empty() &&
        spaceOf(called) == static_cast<int>(Space::Constants)) {
        const Value& value = code_->constants[static_cast<size_t>(indexOf(called))];
        const auto* builtin = value.isFunction() ? dynamic_cast<const BuiltinFunction*>(&value.function()) : nullptr;
        const bool isGiven = builtin && node.arguments.size() >= builtin->signature().parameters.size();
        if (builtin && !isGiven) arguments.push_back(seriesNames(node, builtin->signature()));
    }
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
    const int base = site.base;
    std::vector<std::pair<int, NodeRef>> elements;
    if (spaceOf(called) == static_cast<int>(Space::Constants)) {
        const Value& value = code_->constants[static_cast<size_t>(indexOf(called))];
        if (value.isFunction()) elements = changedInPlace(node, value.function(), arguments, site);
    } else if (node.callee->kind == NodeKind::Name) {
        // The value of a variable is known when the call runs.
        site.calleeName = static_cast<const Name&>(*node.callee).name;
        site.function = findFunction(site.calleeName);
        mayBeChanged(arguments, site);
    }
    noteShared(node);
    emit(Op::Call, target, callSite(std::move(site)), elements.empty() ? 0 : 1);
    // An element that was changed is stored back to its container.
    for (const auto& [i, element] : elements) assignTo(element, operand(Space::Frame, base + i), false);
}

void FunctionCompiler::partial(const NodeRef& calleeNode, const std::vector<Argument>& arguments, Operand target) {
    CallSite site;
    Operand function = newRegister();
    // object.method{…} arrives as method{object, …}.
    const bool method = calleeNode->kind == NodeKind::Name && !arguments.empty() &&
                        isMethodName(static_cast<const Name&>(*calleeNode).name);
    if (method) {
        const std::string& name = static_cast<const Name&>(*calleeNode).name;
        emit(Op::Move, function, constant(Value::of(Ref<Function>(makeRef<MethodFunction>(name, findFunction(name))))));
    } else {
        emit(Op::Move, function, called(calleeNode));
    }
    site.callee = function;
    fillArguments(arguments, site);
    emit(Op::MakePartial, target, callSite(std::move(site)));
}

// Returns the built-in of a pattern letter; null when there is none.
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

// In a chain the leftmost pattern decomposes the arguments first: f:E:L is each{eachLeft{f}}.
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

}  // namespace pelorus
