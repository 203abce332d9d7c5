#include "sql/expression/called_functions.h"

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"

namespace pelorus {

// ::avg is the built-in avg.
static std::string_view unqualified(std::string_view function) {
    return function.starts_with("::") ? function.substr(2) : function;
}

Ref<Function> calledFunction(const Call& call, Context& context) {
    if (call.callee->kind == NodeKind::Constant) {
        const Value& v = static_cast<const Constant&>(*call.callee).value;
        return v.isFunction() ? Ref<Function>(&v.function()) : Ref<Function>();
    }
    if (call.callee->kind != NodeKind::Name) return Ref<Function>();
    const auto& name = static_cast<const Name&>(*call.callee);
    Value value;
    if (!name.functionOnly && context.scope && context.scope->lookup(name.name, value) && value.isFunction()) {
        return Ref<Function>(&value.function());
    }
    const BuiltinFunction* builtin = FunctionRegistry::instance().find(unqualified(name.name));
    return builtin ? Ref<Function>(const_cast<BuiltinFunction*>(builtin)) : Ref<Function>();
}

bool callsOnly(const NodeRef& code, Context& context,
               const std::function<bool(const BuiltinFunction& function, const Call& call)>& isAllowed) {
    bool only = true;
    rewrite(code, [&](const NodeRef& n) -> NodeRef {
        switch (n->kind) {
            case NodeKind::Call: {
                const auto& call = static_cast<const Call&>(*n);
                const Ref<Function> f = calledFunction(call, context);
                const auto* builtin = dynamic_cast<const BuiltinFunction*>(f.get());
                only = only && builtin && isAllowed(*builtin, call);
                break;
            }
            case NodeKind::Name:
            case NodeKind::Constant:
            case NodeKind::Unary:
            case NodeKind::Binary:
            case NodeKind::Ternary:
            case NodeKind::Omitted:
            case NodeKind::Star:
                break;
            default:
                only = false;
        }
        return only ? NodeRef() : n;
    });
    return only;
}

const Query* quantifiedQuery(const Node& node, std::string_view word) {
    if (node.kind != NodeKind::Call) return nullptr;
    const auto& call = static_cast<const Call&>(node);
    const bool isCall = call.callee->kind == NodeKind::Name && call.arguments.size() == 1 &&
                        static_cast<const Name&>(*call.callee).name == word &&
                        call.arguments[0].value->kind == NodeKind::Query;
    return isCall ? static_cast<const Query*>(call.arguments[0].value.get()) : nullptr;
}

static bool isQuantifier(const Call& call) {
    return quantifiedQuery(call, "exists") || quantifiedQuery(call, "any") || quantifiedQuery(call, "all");
}

template <class Test>
static bool holdsCall(const Node& node, Context& context, const Test& test) {
    auto any = [&](const NodeRef& n) { return n && holdsCall(*n, context, test); };
    switch (node.kind) {
        case NodeKind::Unary:
            return any(static_cast<const Unary&>(node).operand);
        case NodeKind::Binary:
            return any(static_cast<const Binary&>(node).left) || any(static_cast<const Binary&>(node).right);
        case NodeKind::Ternary: {
            const auto& n = static_cast<const Ternary&>(node);
            return any(n.condition) || any(n.then) || any(n.otherwise);
        }
        case NodeKind::Call: {
            const auto& call = static_cast<const Call&>(node);
            // exists (query), any (query): a sub-query reads rows of its own.
            if (isQuantifier(call)) return false;
            Ref<Function> f = calledFunction(call, context);
            if (f && test(f->signature())) return true;
            return std::any_of(call.arguments.begin(), call.arguments.end(),
                               [&](const Argument& a) { return any(a.value); });
        }
        case NodeKind::Index:
            return any(static_cast<const Index&>(node).object);
        case NodeKind::Alias:
            return any(static_cast<const Alias&>(node).value);
        default:
            return false;
    }
}

bool holdsAggregate(const Node& node, Context& context) {
    return holdsCall(node, context, [](const Signature& s) { return s.aggregate; });
}

bool readsOtherRows(const Node& node, Context& context) {
    return holdsCall(node, context, [](const Signature& s) { return s.aggregate || s.orderSensitive; });
}

}  // namespace pelorus
