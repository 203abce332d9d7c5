#include "sql/rewrite/plain_aliases.h"

#include <string>

#include "runtime/code/rewrite.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

// Returns the name that stands behind another one; empty for anything else.
std::string nameBehind(const Call& call) {
    if (call.style != Call::Style::Prefix || call.arguments.size() != 1) return "";
    const Node& argument = *call.arguments[0].value;
    if (argument.kind == NodeKind::Name) return static_cast<const Name&>(argument).name;
    if (argument.kind != NodeKind::Constant) return "";
    const Value& value = static_cast<const Constant&>(argument).value;
    return value.isScalar() && value.type() == Type::String ? std::string(value.string()) : "";
}

bool isDefined(const Call& call, Context& context) {
    Value ignored;
    if (calledFunction(call, context)) return true;
    return context.scope && context.scope->lookup(static_cast<const Name&>(*call.callee).name, ignored);
}

// Whether an item reads as the call of a name that is defined nowhere.
bool isColumnWithAlias(const SelectItem& item, Context& context) {
    if (!item.aliases.empty() || item.aliasMacro || item.value->kind != NodeKind::Call) return false;
    const auto& call = static_cast<const Call&>(*item.value);
    return call.callee->kind == NodeKind::Name && !nameBehind(call).empty() && !isDefined(call, context);
}

SelectItem asColumn(const SelectItem& item) {
    const auto& call = static_cast<const Call&>(*item.value);
    return {call.callee, {nameBehind(call)}, NodeRef(), true};
}

}  // namespace

Ref<Query> withPlainAliases(const Query& query, Context& context) {
    Ref<Query> result = copyQuery(query);
    for (SelectItem& item : result->items) {
        if (!isColumnWithAlias(item, context)) continue;
        const SelectItem column = asColumn(item);
        for (OrderItem& order : result->orderBy) {
            if (order.value == item.value) order.value = makeRef<Name>(column.aliases[0], order.value->position);
        }
        item = column;
    }
    for (SelectItem& key : result->groupBy) {
        if (isColumnWithAlias(key, context)) key = asColumn(key);
    }
    return result;
}

}  // namespace pelorus
