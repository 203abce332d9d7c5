#include "sql/rewrite/ordered_items.h"

#include <algorithm>

#include "runtime/code/column_name.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"

namespace pelorus {

namespace {

bool isCalled(const SelectItem& item, const std::string& name) {
    if (!item.aliases.empty()) return std::find(item.aliases.begin(), item.aliases.end(), name) != item.aliases.end();
    return defaultColumnName(*item.value) == name;
}

// Returns the item that an expression means by its value, and whose name is another; null where there is none.
const SelectItem* itemOf(const NodeRef& order, const std::vector<SelectItem>& items) {
    if (order->kind == NodeKind::Constant) return nullptr;
    const std::string name = defaultColumnName(*order);
    for (const SelectItem& item : items) {
        if (item.aliasMacro || item.value->kind == NodeKind::Star || isCalled(item, name)) return nullptr;
    }
    for (const SelectItem& item : items) {
        if (item.aliases.size() == 1 && isSameColumn(order, item.value)) return &item;
    }
    return nullptr;
}

}  // namespace

bool isSameColumn(const NodeRef& a, const NodeRef& b) {
    if (isSameCode(a, b)) return true;
    const std::string column = columnOf(*a);
    return !column.empty() && column == columnOf(*b) && (a->kind == NodeKind::Name || b->kind == NodeKind::Name);
}

std::string columnOf(const Node& node) {
    if (node.kind == NodeKind::Name) return static_cast<const Name&>(node).name;
    const bool isMember = node.kind == NodeKind::Member && !static_cast<const Member&>(node).key;
    return isMember ? static_cast<const Member&>(node).name : "";
}

Ref<Query> withOrderOfItems(const Query& query) {
    if (query.grouping != GroupKind::Group) return {};
    Ref<Query> result;
    for (size_t i = 0; i < query.orderBy.size(); ++i) {
        const SelectItem* item = itemOf(query.orderBy[i].value, query.items);
        if (!item) continue;
        if (!result) result = copyQuery(query);
        result->orderBy[i].value = makeRef<Name>(item->aliases[0], query.orderBy[i].value->position);
    }
    return result;
}

}  // namespace pelorus
