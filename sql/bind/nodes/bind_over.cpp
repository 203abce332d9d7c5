#include "sql/bind/nodes/bind_over.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/column_name.h"
#include "runtime/code/made_call.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/same_code.h"
#include "runtime/format/to_source.h"
#include "runtime/table/column_lookup.h"
#include "sql/bind/nodes/bind_input.h"
#include "sql/bind/nodes/bind_select.h"
#include "sql/bind/plan_select.h"
#include "sql/bind/query_form.h"
#include "sql/expression/called_functions.h"

namespace pelorus {

namespace {

// A query with windows and group by, split into two: one that makes the groups, and one without groups that computes
// the windows over them. Neither has a table.
struct GroupedWindows {
    Ref<Query> groups;
    Ref<Query> windows;
    std::vector<std::string> places;  // columns of the groups that replace an expression with windows
};

// Adds the inputs of the windows to the query of the groups, under names that no script can write.
class Splitter {
public:
    Splitter(const SelectPlan& plan, Context& context) : plan_(plan), context_(context) {
        parts_.groups = copyQuery(*plan.query);
        Query& groups = *parts_.groups;
        groups.verb = QueryVerb::Select;
        groups.tableAlias.clear();
        groups.joins.clear();
        groups.orderBy.clear();
        groups.top = groups.limit = groups.offset = NodeRef();
        groups.items.clear();
        parts_.windows = makeRef<Query>(plan.query->position);
        Query& windows = *parts_.windows;
        windows.verb = plan.query->verb;
        windows.orderBy = plan.query->orderBy;
        windows.top = plan.query->top;
        windows.limit = plan.query->limit;
        windows.offset = plan.query->offset;
    }

    GroupedWindows split() {
        for (const SelectItem& item : plan_.query->items) {
            if (!holdsWindow(*item.value)) {
                parts_.groups->items.push_back(item);
                continue;
            }
            // A placeholder column replaces it among the columns of the groups.
            parts_.places.push_back(fmt::format(" place{}", parts_.places.size()));
            parts_.groups->items.push_back(
                {callOf("count", {makeRef<Star>(item.value->position)}, item.value->position),
                 {parts_.places.back()},
                 {}});
            SelectItem window = item;
            nameWindow(window);
            if (window.aliases.empty() && !window.aliasMacro) window.aliases = {defaultColumnName(*item.value)};
            window.value = overGroups(item.value);
            parts_.windows->items.push_back(std::move(window));
        }
        for (SelectItem& item : needed_) parts_.groups->items.push_back(std::move(item));
        return std::move(parts_);
    }

private:
    NodeRef need(NodeRef value) {
        const SourcePosition here = value->position;
        const std::string name = fmt::format(" need{}", needed_.size());
        needed_.push_back({std::move(value), {name}, {}});
        return makeRef<Name>(name, here);
    }

    bool isKey(const NodeRef& node) const {
        return std::any_of(plan_.query->groupBy.begin(), plan_.query->groupBy.end(),
                           [&](const SelectItem& item) { return isSameCode(item.value, node); });
    }

    // Returns an expression over the columns of the groups: keys, which are constant within a group, and aggregates.
    // `isOfWindow`: it orders or divides the rows of a window, and names nothing else.
    NodeRef overGroups(const NodeRef& whole, bool isOfWindow = false) {
        std::vector<const Node*> callees;
        return rewrite(whole, [&](const NodeRef& node) -> NodeRef {
            if (node->kind != NodeKind::Constant && isKey(node)) return need(callOf("first", {node}, node->position));
            if (node->kind == NodeKind::Window) return windowOverGroups(static_cast<const Window&>(*node));
            const bool isCallee = std::find(callees.begin(), callees.end(), node.get()) != callees.end();
            const bool isName = node->kind == NodeKind::Name && !isCallee;
            if (isName &&
                (isOfWindow || findColumn(plan_.source.columns(), static_cast<const Name&>(*node).name) >= 0)) {
                throw UserError(fmt::format("The PARTITION/ORDER BY column '{}' must be included in the GROUP BY "
                                            "clause. RefId: S02045",
                                            toSource(*node)),
                                "Write a key as it is after group by, not by its alias.");
            }
            if (node->kind != NodeKind::Call) return NodeRef();
            const auto& call = static_cast<const Call&>(*node);
            callees.push_back(call.callee.get());
            const Ref<Function> function = calledFunction(call, context_);
            return function && function->signature().aggregate ? need(node) : NodeRef();
        });
    }

    // The argument of a window's function: an aggregate of each group, or an expression that is computed in each.
    NodeRef argument(const NodeRef& value) {
        if (value->kind == NodeKind::Constant || value->kind == NodeKind::Star) return value;
        return holdsWindow(*value) ? overGroups(value) : need(value);
    }

    NodeRef windowOverGroups(const Window& given) {
        auto window = makeRef<Window>(given.call, given.position);
        window->hasFrame = given.hasFrame;
        window->unit = given.unit;
        window->exclusion = given.exclusion;
        window->low = given.low;
        window->high = given.high;
        window->lowOffset = given.lowOffset;
        window->highOffset = given.highOffset;
        const auto& call = static_cast<const Call&>(*given.call);
        std::vector<Argument> arguments;
        for (size_t i = 0; i < call.arguments.size(); ++i) {
            arguments.push_back({call.arguments[i].keyword, argument(call.arguments[i].value)});
        }
        window->call = makeRef<Call>(call.callee, std::move(arguments), call.style, call.position);
        for (const NodeRef& node : given.partitionBy) window->partitionBy.push_back(overGroups(node, true));
        for (OrderItem item : given.orderBy) {
            item.value = overGroups(item.value, true);
            window->orderBy.push_back(std::move(item));
        }
        return window;
    }

    const SelectPlan& plan_;
    Context& context_;
    GroupedWindows parts_;
    std::vector<SelectItem> needed_;
};

// Makes the second query show the columns of the groups, in their order, and the windows at their places.
void showGroups(GroupedWindows& parts, const TableSchema& groups) {
    std::vector<SelectItem> shown;
    for (const ColumnSchema& column : groups) {
        const auto place = std::find(parts.places.begin(), parts.places.end(), column.name);
        if (place != parts.places.end()) {
            shown.push_back(parts.windows->items[static_cast<size_t>(place - parts.places.begin())]);
        } else if (!column.name.starts_with(' ')) {
            shown.push_back({makeRef<Name>(column.name, parts.windows->position), {column.name}, {}});
        }
    }
    parts.windows->items = std::move(shown);
}

// Makes the node of a query without groups over its input; each window function becomes a column.
std::unique_ptr<OverNode> overRows(PlanRef rows, const Query& query, std::vector<OutputItem> items) {
    auto node = std::make_unique<OverNode>(std::move(rows));
    node->items = std::move(items);
    node->rest = copyQuery(query);
    Query& rest = *node->rest;
    rest.table = NodeRef();
    rest.tableAlias.clear();
    rest.joins.clear();
    rest.where.clear();
    for (SelectItem& item : rest.items) {
        nameWindow(item);
        item.value = rewrite(item.value, [&](const NodeRef& n) -> NodeRef {
            if (n->kind != NodeKind::Window) return NodeRef();
            const std::string name = fmt::format(" window{}", node->windows.size());
            node->windows.push_back({name, Ref<Window>(static_cast<Window*>(n.get()))});
            return makeRef<Name>(name, n->position);
        });
    }
    return node;
}

// Makes the plan of the groups that the windows read.
PlanRef groupsOf(const SelectPlan& plan, const Query& query, Context& context) {
    SelectPlan groups = planSelect({copyQuery(query), copyQuery(query)}, plan.source, context);
    return bindSelect(query, std::move(groups), context);
}

}  // namespace

PlanRef bindOver(const SelectPlan& plan, Context& context) {
    const GroupKind grouping = plan.query->grouping;
    if (grouping == GroupKind::None) return overRows(bindAllRows(plan, context), *plan.query, plan.items);
    if (grouping != GroupKind::Group) {
        throw UserError("Window functions can't be used with group by, context by or pivot by. RefId: S02047",
                        "Use them in a query over the grouped one.");
    }
    GroupedWindows parts = Splitter(plan, context).split();
    PlanRef groups = groupsOf(plan, *parts.groups, context);
    showGroups(parts, groups->schema(context));
    return overRows(std::move(groups), *parts.windows, plan.items);
}

}  // namespace pelorus
