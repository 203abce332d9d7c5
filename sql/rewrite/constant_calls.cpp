#include "sql/rewrite/constant_calls.h"

#include "interpreter/engine/engine.h"
#include "runtime/code/column_name.h"
#include "runtime/code/rewrite.h"
#include "runtime/registry/registry.h"
#include "runtime/table/column_lookup.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

// Functions of whole vectors determine the shape of a result, whatever their arguments.
bool isScriptCall(const Node& node, Context& context) {
    if (node.kind != NodeKind::Call) return false;
    const Ref<Function> function = calledFunction(static_cast<const Call&>(node), context);
    return function && dynamic_cast<const BuiltinFunction*>(function.get()) == nullptr &&
           !function->signature().aggregate && !function->signature().orderSensitive;
}

}  // namespace

bool readsColumn(const NodeRef& node, const TableSchema& columns) {
    bool found = false;
    rewrite(node, [&](const NodeRef& n) -> NodeRef {
        const NodeKind kind = n->kind;
        found = found || kind == NodeKind::Star || kind == NodeKind::Window || kind == NodeKind::ColumnRange ||
                (kind == NodeKind::Name && findColumn(columns, static_cast<const Name&>(*n).name) >= 0);
        return NodeRef();
    });
    return found;
}

bool isConstantCall(const NodeRef& node, const TableSchema& columns, Context& context) {
    if (!isScriptCall(*node, context) || readsColumn(node, columns)) return false;
    requireKnownNames(*node, columns, context);
    return true;
}

Ref<Query> withConstantCalls(const Query& query, const TableSchema& columns, Context& context) {
    bool replaced = false;
    const auto replace = [&](const NodeRef& node) -> NodeRef {
        if (!isConstantCall(node, columns, context)) return NodeRef();
        Value value = evaluateCode(node, context);
        if (value.isFunction()) return NodeRef();
        replaced = true;
        return makeRef<Constant>(std::move(value), node->position);
    };
    // The select list first, one by one: rewritten expressions keep the name that was written.
    Ref<Query> named = copyQuery(query);
    for (std::vector<SelectItem>* items : {&named->items, &named->groupBy}) {
        for (SelectItem& item : *items) {
            replaced = false;
            NodeRef value = rewrite(item.value, replace);
            if (!replaced) continue;
            if (item.aliases.empty()) item.aliases = {defaultColumnName(*item.value)};
            item.value = std::move(value);
        }
    }
    return rewriteQuery(*named, replace);
}

}  // namespace pelorus
