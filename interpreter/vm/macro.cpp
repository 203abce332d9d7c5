#include "interpreter/vm/macro.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/code/query.h"
#include "runtime/code/rewrite.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

std::vector<std::string> namesOf(const MacroColumn& node, const Scope& scope) {
    Value value;
    if (!scope.lookup(node.variable, value)) {
        throw UserError(fmt::format("The macro variable {} is not defined.", node.variable));
    }
    if (!isLiteral(value.type())) {
        throw UserError(fmt::format("The macro variable {} must hold column names as strings.", node.variable));
    }
    if (!node.many && !value.isScalar()) {
        throw UserError(fmt::format("_${} takes one name; use _$${} for several.", node.variable, node.variable));
    }
    std::vector<std::string> names;
    for (int64_t i = 0; i < value.size(); ++i) names.emplace_back(value.at(i).string());
    return names;
}

NodeRef columnNode(const std::string& name, SourcePosition position) {
    auto node = makeRef<Name>(name, position);
    node->columnOnly = true;
    return node;
}

bool isMany(const NodeRef& node) {
    return node && node->kind == NodeKind::MacroColumn && static_cast<const MacroColumn&>(*node).many;
}

// _$$names by itself expands to one select-list entry for each name.
std::vector<SelectItem> expanded(const std::vector<SelectItem>& items, const Scope& scope) {
    std::vector<SelectItem> result;
    for (const SelectItem& item : items) {
        SelectItem copy = item;
        if (item.aliasMacro) copy.aliases = namesOf(static_cast<const MacroColumn&>(*item.aliasMacro), scope);
        copy.aliasMacro = NodeRef();
        if (!isMany(item.value)) {
            result.push_back(std::move(copy));
            continue;
        }
        std::vector<std::string> names = namesOf(static_cast<const MacroColumn&>(*item.value), scope);
        for (size_t i = 0; i < names.size(); ++i) {
            SelectItem one;
            one.value = columnNode(names[i], item.value->position);
            if (i < copy.aliases.size()) one.aliases = {copy.aliases[i]};
            result.push_back(std::move(one));
        }
    }
    return result;
}

}  // namespace

NodeRef fillMacros(const NodeRef& node, const Scope& scope) {
    Replace fill = [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::MacroColumn) return NodeRef();
        const auto& macro = static_cast<const MacroColumn&>(*n);
        std::vector<std::string> names = namesOf(macro, scope);
        if (!macro.many) return columnNode(names[0], n->position);
        NodeList items;
        for (const std::string& name : names) items.push_back(columnNode(name, n->position));
        return makeRef<TupleLiteral>(std::move(items), n->position);
    };
    if (node->kind != NodeKind::Query) return rewrite(node, fill);
    Ref<Query> query = copyQuery(static_cast<const Query&>(*node));
    query->items = expanded(query->items, scope);
    query->groupBy = expanded(query->groupBy, scope);
    return rewriteQuery(*query, fill);
}

}  // namespace pelorus
