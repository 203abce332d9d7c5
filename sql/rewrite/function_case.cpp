#include "sql/rewrite/function_case.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/string/ascii_case.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/name_advice.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

// Names of the standard for functions that we call otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kStandardNames{{{"stddev", "std"},
                                                                                        {"stddev_samp", "std"},
                                                                                        {"stddev_pop", "stdp"},
                                                                                        {"variance", "var"},
                                                                                        {"var_samp", "var"},
                                                                                        {"var_pop", "varp"},
                                                                                        {"character_length", "strlenu"},
                                                                                        {"char_length", "strlenu"},
                                                                                        {"octet_length", "strlen"},
                                                                                        {"ceiling", "ceil"},

                                                                                        {"ln", "log"}}};

std::string_view builtinFor(const std::string& name) {
    if (const BuiltinFunction* builtin = builtinOfAnyCase(name)) return builtin->name();
    const auto found = std::find_if(kStandardNames.begin(), kStandardNames.end(),
                                    [&](const auto& standard) { return isEqualInAnyCase(standard.first, name); });
    return found == kStandardNames.end() ? std::string_view() : found->second;
}

}  // namespace

Ref<Query> withBuiltinsOfAnyCase(const Query& query, Context& context) {
    const auto renamed = [&](const NodeRef& node) -> NodeRef {
        if (node->kind != NodeKind::Call) return NodeRef();
        const auto& call = static_cast<const Call&>(*node);
        if (call.callee->kind != NodeKind::Name || calledFunction(call, context)) return NodeRef();
        const auto& name = static_cast<const Name&>(*call.callee);
        Value ignored;
        if (context.scope && context.scope->lookup(name.name, ignored)) return NodeRef();
        const std::string_view builtin = builtinFor(name.name);
        if (builtin.empty()) return NodeRef();
        Ref<Name> callee = makeRef<Name>(std::string(builtin), name.position);
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
