// Inlining of script functions whose body is a sequence of assignments and a result: a call becomes the body with the
// arguments in place.
#include <algorithm>
#include <unordered_set>

#include "interpreter/expression/binder.h"

namespace pelorus {

constexpr size_t kMaxDepth = 8;  // nesting of calls in bodies of calls

static void addParts(const Bound& part, std::unordered_set<const Bound*>& parts) {
    if (!parts.insert(&part).second) return;
    for (const BoundRef& p : part.parts) addParts(*p, parts);
}

// Unused values may still throw: a call computes them.
static bool usesAll(const Bound& result, const std::vector<BoundRef>& computed) {
    std::unordered_set<const Bound*> parts;
    addParts(result, parts);
    return std::all_of(computed.begin(), computed.end(),
                       [&](const BoundRef& value) { return value->parts.empty() || parts.contains(value.get()); });
}

BoundRef Binder::inlined(const Closure& closure, const Call& call) {
    const CompiledFunction& code = closure.code();
    const std::vector<Parameter>& parameters = code.signature.parameters;
    if (functions_.size() == kMaxDepth || code.body.isAggregate || code.body.isState || code.topLevel) return nullptr;
    if (call.arguments.size() != parameters.size() || parameters.empty()) return nullptr;
    Inlined function{.code = &code, .variables = {}};
    for (size_t i = 0; i < code.captureNames.size(); ++i) {
        const Value& captured = closure.captures()[i];
        if (captured.isFunction()) return nullptr;
        function.variables[code.captureNames[i]] = boundConstant(captured);
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].isMutable || call.arguments[i].value->kind == NodeKind::Omitted) return nullptr;
        BoundRef argument = of(*call.arguments[i].value);
        if (!argument) return nullptr;
        function.computed.push_back(argument);
        function.variables[parameters[i].name] = std::move(argument);
    }
    functions_.push_back(std::move(function));
    BoundRef result = bodyOf(code.body);
    const std::vector<BoundRef> computed = std::move(functions_.back().computed);
    functions_.pop_back();
    return result && usesAll(*result, computed) ? result : nullptr;
}

BoundRef Binder::bodyOf(const FunctionBody& function) {
    const Node& body = *function.body;
    if (body.kind != NodeKind::Block) return of(body);
    for (const NodeRef& statement : static_cast<const Block&>(body).statements) {
        if (statement->kind == NodeKind::Return) {
            const NodeRef& value = static_cast<const Return&>(*statement).value;
            return value ? of(*value) : nullptr;
        }
        if (statement->kind != NodeKind::Assign || !assign(static_cast<const Assign&>(*statement))) return nullptr;
    }
    return nullptr;
}

bool Binder::assign(const Assign& statement) {
    if (statement.targets.size() != 1 || statement.targets[0]->kind != NodeKind::Name || statement.byReference)
        return false;
    const std::string& name = static_cast<const Name&>(*statement.targets[0]).name;
    BoundRef value = of(*statement.value);
    if (statement.compound) {
        const bool isOperation = statement.op <= Operator::Mod && statement.op != Operator::Dot;
        const auto before = functions_.back().variables.find(name);
        if (!isOperation || before == functions_.back().variables.end()) return false;
        value = operation(statement.op, before->second, value);
    }
    if (!value) return false;
    functions_.back().computed.push_back(value);
    functions_.back().variables[name] = std::move(value);
    return true;
}

}  // namespace pelorus
