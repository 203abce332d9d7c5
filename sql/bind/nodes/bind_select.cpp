#include "sql/bind/nodes/bind_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "runtime/code/name_uses.h"
#include "runtime/code/rewrite.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/nodes/bind_cumulative.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/bind/nodes/bind_interval.h"
#include "sql/bind/nodes/bind_over.h"
#include "sql/bind/nodes/bind_phases.h"
#include "sql/bind/nodes/bind_pivot.h"
#include "sql/bind/nodes/bind_window.h"
#include "sql/bind/plan_select.h"
#include "sql/bind/query_form.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/repeated_constants.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/partition_nodes.h"
#include "sql/plan/window_node.h"

namespace pelorus {

namespace {

// Adds columns that order by needs and the result does not show under hidden names: of the source, or aggregates where
// there are groups. Returns one name for each key, empty where the result has it.
std::vector<std::string> addHiddenOrder(SelectPlan& plan, Context& context) {
    std::vector<std::string> hidden;
    const bool isGrouped = plan.query->grouping == GroupKind::Group && !groupsByInterval(plan, context);
    if (plan.query->grouping != GroupKind::None && !isGrouped) return hidden;
    for (size_t i = 0; i < plan.query->orderBy.size(); ++i) {
        const NodeRef& node = plan.query->orderBy[i].value;
        bool isResult = node->kind == NodeKind::Name &&
                        std::any_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
                            return std::find(item.names.begin(), item.names.end(),
                                             static_cast<const Name&>(*node).name) != item.names.end();
                        });
        bool isHidden = isGrouped && holdsAggregate(*node, context);
        if (!isGrouped && !isResult)
            forEachName(*node, [&](const Name& n) { isHidden |= plan.source.table->findColumn(n.name) >= 0; });
        hidden.push_back(isHidden ? fmt::format(" order{}", i) : "");
        if (isHidden) plan.items.push_back({{hidden.back()}, node, true});
    }
    return hidden;
}

// Range of the result's rows that top or limit select. Neither is below 0.
struct RowRange {
    int64_t begin = 0, count = INT64_MAX;
};

Value constantOf(const NodeRef& node, Context& context) {
    const ExpressionProgram e = bindProgram(node, {}, context);
    return e.evaluate(context, std::span<const Value>(), 0);
}

RowRange rangeOf(const Query& query, Context& context) {
    RowRange range;
    if (query.top) {
        Value v = constantOf(query.top, context);
        if (v.isPair()) {
            // An omitted end is open.
            const Vector& ends = v.vector();
            if (!ends.isNullAt(0)) range.begin = ends.asLong(0);
            if (!ends.isNullAt(1) && __builtin_sub_overflow(ends.asLong(1), range.begin, &range.count))
                range.count = ends.asLong(1) < range.begin ? 0 : INT64_MAX;
        } else if (v.isScalar() && isIntegral(v.type())) {
            range.count = v.asLong();
        } else {
            throw UserError("integer constant expected after keyword top");
        }
    }
    if (query.limit) {
        if (query.offset) range.begin = constantOf(query.offset, context).asLong();
        Value v = constantOf(query.limit, context);
        if (!v.isScalar() || !isIntegral(v.type())) throw UserError("limit needs an integer.");
        // Only context by counts from the end.
        if (!v.isNull() && v.asLong() < 0) {
            throw UserError(query.limit->position, "limit without context by must be at least 0.",
                            "For the last rows, order them the other way round.");
        }
        range.count = v.asLong();
    }
    range.begin = std::max<int64_t>(range.begin, 0);
    range.count = std::max<int64_t>(range.count, 0);
    return range;
}

bool needsOneRow(const SelectPlan& plan, Context& context) {
    return std::any_of(plan.items.begin(), plan.items.end(),
                       [&](const OutputItem& item) { return holdsAggregate(*item.value, context); });
}

// Whether the select list holds only calls of aggregates, a script's among them.
bool onlyAggregates(const SelectPlan& plan, Context& context) {
    return std::all_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
        if (item.value->kind != NodeKind::Call) return false;
        Ref<Function> f = calledFunction(static_cast<const Call&>(*item.value), context);
        return f && f->signature().aggregate;
    });
}

// Returns the Aggregate of a select list that holds aggregates over all rows and nothing else, so that the states of
// the one group can be merged; null for another.
std::unique_ptr<AggregateNode> globalAggregates(const SelectPlan& plan, Context& context) {
    if (plan.items.empty() || plan.query->grouping != GroupKind::None) return nullptr;
    if (!needsOneRow(plan, context)) return nullptr;
    std::unique_ptr<AggregateNode> node = bindAggregate(plan, context);
    if (!node) return nullptr;
    // The remaining expressions must not read rows any more.
    for (const NodeRef& item : node->aggregates.items) {
        bool readsRows = false;
        forEachName(*item, [&](const Name& n) { readsRows |= plan.source.table->findColumn(n.name) >= 0; });
        if (readsRows) return nullptr;
    }
    return node;
}

// Returns the select list as expressions, each of which has one value for each row; nothing where one does not.
std::vector<RowItem> rowItems(const SelectPlan& plan, Context& context) {
    std::vector<RowItem> items;
    const TableSchema& columns = plan.source.columns();
    if (!plan.laterFilters.empty() || (plan.source.memory() && hasTupleColumns(columns))) return {};
    for (const OutputItem& item : plan.items) {
        if (item.names.size() != 1) return {};
        const BoundRef value = bindOverColumns(item.value, columns, context);
        // Array vectors are no vectors of one value per row.
        const int plain = value->plainColumn();
        if (!value->isElementwise || (plain >= 0 && isArrayType(columns[static_cast<size_t>(plain)].type))) return {};
        items.push_back({item.names[0], ExpressionProgram(value, context)});
    }
    return items;
}

// Whether an expression is an aggregate of an array vector, whose result is one cell, as in groups: first(v).
bool isCellOfArray(const NodeRef& item, const TableSchema& columns, Context& context) {
    if (item->kind != NodeKind::Call) return false;
    const auto& call = static_cast<const Call&>(*item);
    const Ref<Function> function = calledFunction(call, context);
    if (!function || !function->signature().aggregate || call.arguments.empty()) return false;
    const NodeRef& argument = call.arguments[0].value;
    if (argument->kind != NodeKind::Name) return false;
    const int column = findColumn(columns, static_cast<const Name&>(*argument).name);
    return column >= 0 && isArrayType(columns[static_cast<size_t>(column)].type);
}

PlanRef collect(const SelectPlan& plan, Context& context) {
    BoundRows input = bindInput(plan, context);
    std::vector<CollectNode::Item> items;
    for (const OutputItem& item : plan.items) {
        const NodeRef value = countAsLong(plan, item, withRepeatedConstants(item.value, input.columns, context));
        items.push_back({{item, bindProgram(value, input.columns, context)},
                         holdsAggregate(*item.value, context),
                         isCellOfArray(item.value, input.columns, context)});
    }
    return std::make_unique<CollectNode>(std::move(input.rows), std::move(items));
}

// Aggregates of scripts over all rows: in parts, where these declare how.
PlanRef wholeAggregates(const SelectPlan& plan, Context& context) {
    PlanRef rows = collect(plan, context);
    static_cast<CollectNode&>(*rows).isOneCell = true;
    return bindPhases(plan, std::move(rows), context);
}

// Groups are not sorted by their keys first when they are sorted by others: the keys follow those, or are the only
// ones.
void addKeysOfGroups(AggregateNode& groups, std::vector<OrderItem>& order, std::vector<std::string>& hidden) {
    if (groups.keys.empty()) return;
    groups.keysLast = true;
    for (size_t k = 0; k < groups.keys.size(); ++k) {
        hidden.push_back(lastOrderColumn(k));
        order.push_back({makeRef<Name>(hidden.back(), SourcePosition{})});
    }
}

}  // namespace

PlanRef bindRows(SelectPlan plan, Context& context) {
    switch (plan.query->grouping) {
        case GroupKind::Group:
            return groupsByInterval(plan, context) ? bindInterval(plan, context) : bindGroupsInPhases(plan, context);
        case GroupKind::Context:
            if (!rollsWindows(plan, context)) return bindContext(plan, context);
            return bindRoll(plan, context);
        case GroupKind::CumulativeGroup:
            return bindCumulative(plan, context);
        case GroupKind::Pivot:
            return bindPivot(plan, context);
        case GroupKind::None:
            break;
    }
    if (onlyAggregates(plan, context)) return wholeAggregates(plan, context);
    std::vector<RowItem> items = rowItems(plan, context);
    if (items.empty()) return collect(plan, context);
    auto scan = std::make_unique<ScanNode>(std::move(plan.source), std::move(plan.filters));
    return std::make_unique<ProjectNode>(std::move(scan), std::move(items));
}

void requireGroupsOfClauses(const Query& query, bool isOneGroup) {
    const GroupKind grouping = query.grouping;
    if (query.having && grouping == GroupKind::None && !isOneGroup) {
        throw UserError(query.having->position, "having chooses among groups, but no clause makes any.",
                        "Write the condition after where, or group rows with group by or context by.");
    }
    if (query.having && grouping == GroupKind::Pivot) {
        throw UserError(query.having->position, "having can't be used with pivot by.",
                        "Choose rows with where, or select from the result of the query.");
    }
    if (!query.csort.empty() && grouping != GroupKind::Context) {
        throw UserError(query.csort[0].value->position, "csort orders the rows of groups of context by only.",
                        "Order the result with order by, or group rows with context by.");
    }
}

PlanRef bindSelect(const Query& query, SelectPlan plan, Context& context) {
    if (query.map && plan.source.partitioned()) {
        plan.query = copyQuery(*plan.query);
        plan.query->map = false;
        const Ref<Query> statement = plan.query;
        return std::make_unique<PerPartitionNode>(bindSelect(*statement, std::move(plan), context));
    }
    const bool windows = std::any_of(plan.items.begin(), plan.items.end(),
                                     [](const OutputItem& item) { return holdsWindow(*item.value); });
    if (windows) {
        requireGroupsOfClauses(query, false);
        return bindOver(plan, context);
    }
    PlanRef global = globalAggregates(plan, context);
    requireGroupsOfClauses(query, global != nullptr);
    if (global) plan.query->orderBy.clear();  // one row has no order
    std::vector<std::string> hidden = addHiddenOrder(plan, context);
    std::vector<OrderItem> order = plan.query->orderBy;
    for (size_t i = 0; i < hidden.size(); ++i) {
        if (!hidden[i].empty()) order[i].value = makeRef<Name>(hidden[i], order[i].value->position);
    }
    std::erase(hidden, std::string());
    PlanRef rows = global ? std::move(global) : bindRows(std::move(plan), context);
    if (query.distinct) rows = std::make_unique<DistinctNode>(std::move(rows), static_cast<int>(hidden.size()));
    const RowRange range = query.grouping == GroupKind::Context ? RowRange{} : rangeOf(query, context);
    const bool isCut = !order.empty() || query.limit || query.top;
    if (rows->kind == PlanNode::Kind::Aggregate && isCut)
        addKeysOfGroups(static_cast<AggregateNode&>(*rows), order, hidden);
    if (!order.empty()) rows = std::make_unique<SortNode>(std::move(rows), std::move(order));
    return std::make_unique<LimitNode>(std::move(rows), range.begin, range.count, std::move(hidden));
}

PlanRef bindConstants(const Query& query, Context& context) {
    return std::make_unique<ConstantsNode>(boundItems(outputItems(query.items, {}, context), {}, context));
}

}  // namespace pelorus
