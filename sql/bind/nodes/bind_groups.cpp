#include "sql/bind/nodes/bind_groups.h"

#include <algorithm>

#include "runtime/code/same_code.h"
#include "runtime/registry/registry.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/repeated_constants.h"

namespace pelorus {

namespace {

bool isName(const NodeRef& node, const std::string& name) {
    return node->kind == NodeKind::Name && static_cast<const Name&>(*node).name == name;
}

// Whether one of the expressions of the select list is the column of a key.
bool isSelected(const OutputItem& key, const std::vector<OutputItem>& items, const std::vector<NodeRef>& values) {
    for (size_t i = 0; i < items.size(); ++i) {
        if (isName(values[i], key.names[0]) || items[i].names[0] == key.names[0]) return true;
    }
    return false;
}

CellKind cellKindOf(const Node& item, const TableSchema& columns) {
    if (item.kind != NodeKind::Call) return CellKind::Scalar;
    const auto& call = static_cast<const Call&>(item);
    if (call.callee->kind != NodeKind::Name) return CellKind::Scalar;
    const Role role = roleOf(call.callee);
    const bool takesRow = (role == Role::First || role == Role::Last) && call.arguments.size() == 1 &&
                          call.arguments[0].value->kind == NodeKind::Name;
    if (takesRow) {
        const std::string& name = static_cast<const Name&>(*call.arguments[0].value).name;
        for (const ColumnSchema& column : columns) {
            if (column.name == name && isArrayType(column.type)) return CellKind::Array;
        }
    }
    if (role == Role::ArrayCells) return CellKind::Array;
    if (role == Role::ColumnarTupleCells) return CellKind::ColumnarTuple;
    return role == Role::TupleCells ? CellKind::Tuple : CellKind::Scalar;
}

bool readsOnlyKeys(const ExpressionProgram& item, const std::vector<BoundItem>& keys) {
    if (!item.isElementwise()) return false;
    for (const BoundItem& key : keys) {
        if (isSameCode(key.written.value, item.code())) return true;
    }
    return std::all_of(item.columns().begin(), item.columns().end(), [&](int c) {
        return std::any_of(keys.begin(), keys.end(),
                           [&](const BoundItem& key) { return key.value.plainColumn() == c; });
    });
}

}  // namespace

std::optional<BoundStates> bindStates(const SelectPlan& plan, Context& context) {
    BoundStates states;
    if (!planGroups(plan, context, states.aggregates)) return std::nullopt;
    states.keys = boundItems(plan.keys, plan.source.columns(), context);
    return states;
}

std::unique_ptr<AggregateNode> bindAggregate(const SelectPlan& plan, Context& context) {
    std::optional<BoundStates> states = bindStates(plan, context);
    if (!states) return nullptr;
    auto node = std::make_unique<AggregateNode>(bindScan(plan));
    node->keys = std::move(states->keys);
    node->aggregates = std::move(states->aggregates);
    const TableSchema columns = columnsOfGroups(node->keys, node->aggregates);
    const std::vector<NodeRef>& values = node->aggregates.items;
    for (const OutputItem& key : plan.keys) {
        if (isSelected(key, plan.items, values)) continue;
        const NodeRef name = makeRef<Name>(key.names[0], SourcePosition{});
        node->items.push_back({{key.names, key.value, true}, bindProgram(name, columns, context)});
    }
    for (size_t i = 0; i < plan.items.size(); ++i) {
        const NodeRef value = countAsLong(plan, plan.items[i], values[i]);
        node->items.push_back({plan.items[i], bindProgram(value, columns, context)});
    }
    if (node->aggregates.having) {
        node->having =
            BoundItem{{{"having"}, plan.query->having, false}, bindProgram(node->aggregates.having, columns, context)};
    }
    return node;
}

PlanRef bindWholeGroups(const SelectPlan& plan, Context& context) {
    BoundRows input = bindInput(plan, context);
    auto node = std::make_unique<WholeGroupsNode>(std::move(input.rows));
    node->keys = boundItems(plan.keys, input.columns, context);
    std::vector<NodeRef> values;
    for (const OutputItem& item : plan.items) {
        values.push_back(item.value);
        ExpressionProgram value =
            bindProgram(withRepeatedConstants(item.value, input.columns, context), input.columns, context);
        const CellKind cells = cellKindOf(*item.value, input.columns);
        const bool isOfKeys = readsOnlyKeys(value, node->keys);
        node->items.push_back({{item, std::move(value)}, cells, isOfKeys});
    }
    for (size_t k = 0; k < plan.keys.size(); ++k) {
        if (!isSelected(plan.keys[k], plan.items, values)) node->shownKeys.push_back(k);
    }
    node->having = boundHaving(plan.query->having, input.columns, context);
    return node;
}

PlanRef bindGroups(const SelectPlan& plan, Context& context) {
    if (PlanRef aggregate = bindAggregate(plan, context)) return aggregate;
    return bindWholeGroups(plan, context);
}

}  // namespace pelorus
