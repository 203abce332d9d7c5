#include "sql/rewrite/function_case.h"

#include "runtime/code/rewrite.h"
#include "runtime/registry/name_advice.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

Ref<Query> withBuiltinsOfAnyCase(const Query& query, Context& context) {
    const auto renamed = [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Call) return NodeRef();
        const auto& call = static_cast<const Call&>(*node);
        if (call.callee->kind != NodeKind::Name || calledFunction(call, context)) return NodeRef();
        const auto& name = static_cast<const Name&>(*call.callee);
        Value ignored;
        if (context.scope && context.scope->lookup(name.name, ignored)) return NodeRef();
        const BuiltinFunction* builtin = builtinOfAnyCase(name.name);
        if (!builtin) return NodeRef();
        Ref<Name> callee = makeRef<Name>(std::string(builtin->name()), name.position);
        return makeRef<Call>(std::move(callee), call.arguments, call.style, call.position);
    };
    // From the outside to the inside: an argument of a call that was renamed may be such a call, too.
    Replace replace = [&](const NodeRef& node) -> NodeRef {
        NodeRef call = renamed(node);
        return call ? rewrite(call, replace) : NodeRef();
    };
    Ref<Query> result = rewriteQuery(query, replace);
    result->callsUnknown = false;
    return result;
}

}  // namespace pelorus
