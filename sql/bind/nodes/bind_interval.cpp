#include "sql/bind/nodes/bind_interval.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/code/column_name.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/bind/query_form.h"
#include "sql/expression/bind_expression.h"

namespace pelorus {

namespace {

// The number of a row's window, among the columns of the rows.
constexpr const char* kWindowColumn = " window";

// Returns the index of the key that an output expression names, or the number of keys.
size_t keyOfItem(const std::vector<OutputItem>& keys, const OutputItem& item) {
    for (size_t k = 0; k < keys.size(); ++k) {
        const bool byName =
            item.value->kind == NodeKind::Name && static_cast<const Name&>(*item.value).name == keys[k].names[0];
        if (byName || isSameCode(item.value, keys[k].value)) return k;
    }
    return keys.size();
}

// Makes the groups of the windows: their keys are the first columns, and that of the interval is the window's number.
PlanRef bindGroupsOfWindows(const SelectPlan& plan, const std::vector<OutputItem>& keys, size_t interval,
                            TableSchema rows, Context& context) {
    SelectPlan inner = plan;
    rows.push_back({kWindowColumn, Type::Long});
    inner.source = sourceOf(MemoryTable::empty(rows));
    inner.filters.clear();
    inner.laterFilters.clear();
    inner.query = copyQuery(*plan.query);
    inner.items.clear();
    inner.keys = keys;
    for (size_t k = 0; k < keys.size(); ++k) inner.keys[k].names = {fmt::format(" key{}", k)};
    inner.keys[interval].value = makeRef<Name>(kWindowColumn, SourcePosition{});
    for (const OutputItem& item : plan.items) {
        if (keyOfItem(keys, item) == keys.size()) inner.items.push_back(item);
    }
    PlanRef groups = bindGroups(inner, context);
    scanOf(*groups)->isGiven = true;
    return groups;
}

// Returns the columns of the result: keys that the select list does not show come first.
std::vector<IntervalNode::Column> columnsOf(const SelectPlan& plan, const std::vector<OutputItem>& keys) {
    std::vector<IntervalNode::Column> columns;
    const auto addKey = [&](const std::string& name, size_t k) { columns.push_back({name, static_cast<int>(k)}); };
    for (size_t k = 0; k < keys.size(); ++k) {
        const bool isShown =
            std::ranges::any_of(plan.items, [&](const OutputItem& item) { return keyOfItem(keys, item) == k; });
        if (!isShown) addKey(keys[k].names[0], k);
    }
    auto group = static_cast<int>(keys.size());
    for (const OutputItem& item : plan.items) {
        if (const size_t k = keyOfItem(keys, item); k < keys.size()) {
            addKey(item.named ? item.names[0] : keys[k].names[0], k);
            continue;
        }
        for (const std::string& name : item.names) {
            if (!name.empty()) columns.push_back({name, -1, group++});
        }
    }
    return columns;
}

}  // namespace

PlanRef bindInterval(const SelectPlan& plan, Context& context) {
    const size_t at = intervalKey(plan, context);
    std::vector<OutputItem> keys = plan.keys;
    DummyCall call(*keys[at].value, {"X", "duration", "fill", "step", "explicitOffset", "closed", "label", "origin"});
    const NodeRef x = call.node("X");
    if (!x) throw UserError("interval needs X, duration and fill.");
    if (!keys[at].named)
        keys[at].names = {x->kind == NodeKind::Name ? "interval_" + defaultColumnName(*x) : "interval"};
    BoundRows input = bindInput(plan, context);
    auto node =
        std::make_unique<IntervalNode>(std::move(input.rows), bindProgram(x, input.columns, context), std::move(call));
    if (x->kind == NodeKind::Name)
        node->xInSource = findColumn(plan.source.columns(), static_cast<const Name&>(*x).name);
    node->conditions = plan.filters;
    node->conditions.insert(node->conditions.end(), plan.laterFilters.begin(), plan.laterFilters.end());
    node->columns = columnsOf(plan, keys);
    node->groups = bindGroupsOfWindows(plan, keys, at, std::move(input.columns), context);
    node->keys = std::move(keys);
    node->items = plan.items;
    node->interval = static_cast<int>(at);
    return node;
}

}  // namespace pelorus
