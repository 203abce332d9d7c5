#include "sql/bind/nodes/bind_cumulative.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/aggregate/value_state.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/repeated_constants.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

namespace {

// Returns the states of the select list, where these are merged along the order of the groups.
std::optional<BoundStates> mergedStates(const SelectPlan& plan, Context& context) {
    if (needsOtherNodes(plan.source, context)) return std::nullopt;
    const auto isOneColumn = [](const OutputItem& item) { return item.names.size() == 1; };
    if (!std::ranges::all_of(plan.items, isOneColumn)) return std::nullopt;
    try {
        std::optional<BoundStates> states = bindStates(plan, context);
        for (size_t i = 0; states && i < states->aggregates.calls.size(); ++i) {
            if (dynamic_cast<const ValueState*>(states->aggregates.newState(i).get())) return std::nullopt;
        }
        return states;
    } catch (const UserError&) {
        return std::nullopt;  // the rows report an error, unless they can do it
    }
}

GroupOrder boundOrder(const SelectPlan& plan, const std::vector<BoundItem>& keys, Context& context) {
    GroupOrder order;
    order.outerKeys = plan.keys.size() - static_cast<size_t>(plan.query->cumulativeKeys);
    const TableSchema columns = columnsOfGroups(keys, {});
    for (const OrderItem& item : plan.query->orderBy) {
        order.keys.push_back(
            {bindProgram(item.value, columns, context), item.ascending, item.nullsGiven, item.nullsFirst});
    }
    return order;
}

bool isKey(const OutputItem& item, const SelectPlan& plan) {
    return std::ranges::any_of(plan.keys, [&](const OutputItem& key) { return key.names[0] == item.names[0]; });
}

PlanRef bindStatesInOrder(const SelectPlan& plan, BoundStates states, Context& context) {
    auto node = std::make_unique<CumulativeNode>(bindScan(plan));
    node->order = boundOrder(plan, states.keys, context);
    node->keys = std::move(states.keys);
    node->aggregates = std::move(states.aggregates);
    const TableSchema columns = columnsOfGroups(node->keys, node->aggregates);
    for (size_t i = 0; i < plan.items.size(); ++i) {
        if (isKey(plan.items[i], plan)) continue;
        node->items.push_back({plan.items[i], bindProgram(node->aggregates.items[i], columns, context)});
    }
    if (node->aggregates.having) {
        node->having =
            BoundItem{{{"having"}, plan.query->having, false}, bindProgram(node->aggregates.having, columns, context)};
    }
    return node;
}

}  // namespace

PlanRef bindCumulative(const SelectPlan& plan, Context& context) {
    if (plan.query->orderBy.empty())
        throw UserError("cgroup by needs order by: the order in which the groups accumulate.");
    if (std::optional<BoundStates> states = mergedStates(plan, context))
        return bindStatesInOrder(plan, std::move(*states), context);
    BoundRows input = bindInput(plan, context);
    auto node = std::make_unique<CumulativeRowsNode>(std::move(input.rows));
    node->keys = boundItems(plan.keys, input.columns, context);
    node->order = boundOrder(plan, node->keys, context);
    for (const OutputItem& item : plan.items) {
        if (isKey(item, plan)) continue;
        const NodeRef value = withRepeatedConstants(item.value, input.columns, context);
        node->items.push_back({item, bindProgram(value, input.columns, context)});
    }
    node->having = boundHaving(plan.query->having, input.columns, context);
    return node;
}

}  // namespace pelorus
