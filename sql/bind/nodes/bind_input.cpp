#include "sql/bind/nodes/bind_input.h"

#include <algorithm>
#include <numeric>

#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "sql/expression/bind_expression.h"

namespace pelorus {

std::vector<int> mentionedColumns(const SelectPlan& plan) {
    const TableSchema& columns = plan.source.columns();
    std::vector<int> used;
    auto add = [&](const NodeRef& node) {
        if (!node) return;
        forEachName(*node, [&](const Name& n) {
            int c = plan.source.table->findColumn(n.name);
            if (c >= 0 && std::find(used.begin(), used.end(), c) == used.end()) used.push_back(c);
        });
    };
    for (const OutputItem& item : plan.items) add(item.value);
    for (const OutputItem& key : plan.keys) add(key.value);
    for (const NodeRef& f : plan.laterFilters) add(f);
    for (const OrderItem& o : plan.query->orderBy) add(o.value);
    for (const OrderItem& o : plan.query->csort) add(o.value);
    add(plan.query->having);
    // A query of constants still has as many rows as the table.
    if (used.empty() && !columns.empty()) used.push_back(0);
    std::sort(used.begin(), used.end());
    return used;
}

namespace {

std::vector<int> allColumns(const SelectPlan& plan) {
    std::vector<int> columns(plan.source.columns().size());
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

// Makes the nodes that read these columns of the rows.
BoundRows boundRows(const SelectPlan& plan, std::vector<int> columns, Context& context) {
    // Mixed columns are no vectors: the whole table at once, and all conditions over it.
    const bool isMixed = plan.source.memory() && hasTupleColumns(plan.source.columns());
    if (isMixed) columns = allColumns(plan);
    BoundRows bound;
    bound.rows = std::make_unique<ScanNode>(plan.source, isMixed ? NodeList() : plan.filters, std::move(columns));
    bound.columns = bound.rows->schema(context);
    NodeList later = isMixed ? plan.filters : NodeList();
    later.insert(later.end(), plan.laterFilters.begin(), plan.laterFilters.end());
    if (later.empty()) return bound;
    std::vector<ExpressionProgram> conditions;
    for (const NodeRef& condition : later) conditions.push_back(bindProgram(condition, bound.columns, context));
    bound.rows = std::make_unique<FilterNode>(std::move(bound.rows), std::move(conditions));
    return bound;
}

}  // namespace

BoundRows bindInput(const SelectPlan& plan, Context& context) {
    return boundRows(plan, mentionedColumns(plan), context);
}

PlanRef bindAllRows(const SelectPlan& plan, Context& context) {
    return boundRows(plan, allColumns(plan), context).rows;
}

PlanRef bindScan(const SelectPlan& plan) {
    return std::make_unique<ScanNode>(plan.source, plan.filters);
}

BoundItem boundItem(const OutputItem& item, const TableSchema& columns, Context& context) {
    return {item, bindProgram(item.value, columns, context)};
}

std::vector<BoundItem> boundItems(const std::vector<OutputItem>& items, const TableSchema& columns, Context& context) {
    std::vector<BoundItem> bound;
    for (const OutputItem& item : items) bound.push_back(boundItem(item, columns, context));
    return bound;
}

std::optional<BoundItem> boundHaving(const NodeRef& having, const TableSchema& columns, Context& context) {
    if (!having) return std::nullopt;
    return boundItem({{"having"}, having, false}, columns, context);
}

NodeRef countAsLong(const SelectPlan& plan, const OutputItem& written, NodeRef value) {
    const bool isAsked = plan.query->verb == QueryVerb::Exec && plan.query->grouping == GroupKind::None;
    if (!plan.source.partitioned() || !isAsked) return value;
    if (written.value->kind != NodeKind::Call || written.names.size() != 1) return value;
    if (roleOf(static_cast<const Call&>(*written.value).callee) != Role::Count) return value;
    auto callee = makeRef<Name>("long", value->position);
    callee->functionOnly = true;
    const SourcePosition here = value->position;
    return makeRef<Call>(std::move(callee), std::vector<Argument>{{"", std::move(value)}}, Call::Style::Function, here);
}

}  // namespace pelorus
