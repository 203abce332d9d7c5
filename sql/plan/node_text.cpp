#include "sql/plan/node_text.h"

#include <algorithm>
#include <vector>

#include "runtime/format/to_source.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/partition_nodes.h"
#include "sql/plan/select_plan.h"
#include "sql/plan/window_node.h"

namespace pelorus {

std::string withCommas(int64_t number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<size_t>(at), ",");
    return digits;
}

std::string listed(const std::vector<std::string>& parts) {
    std::string string;
    for (const std::string& part : parts) string += (string.empty() ? "" : ", ") + part;
    return string;
}

namespace {

// Columns that a query makes for itself have names that begin with a blank, which are not shown.
std::string itemString(const std::string& name, const Node& value) {
    const std::string string = toSource(value);
    return string == name || name.starts_with(' ') ? string : string + " as " + name;
}

// Whether only an order needs the column: it is shown there.
bool isOfOrder(const std::string& name) {
    return name.starts_with(" order");
}

std::string itemsString(const std::vector<OutputItem>& items) {
    std::vector<std::string> parts;
    for (const OutputItem& item : items) {
        if (!isOfOrder(item.names[0])) parts.push_back(itemString(item.names[0], *item.value));
    }
    return listed(parts);
}

// Of bound items.
template <class Item>
std::string itemsString(const std::vector<Item>& items) {
    std::vector<OutputItem> written;
    for (const Item& item : items) written.push_back(item.written);
    return itemsString(written);
}

// Of items that have a bound one among other things.
template <class Item, class Bound>
std::string itemsString(const std::vector<Item>& items, Bound Item::*bound) {
    std::vector<OutputItem> written;
    for (const Item& item : items) written.push_back((item.*bound).written);
    return itemsString(written);
}

std::string itemsString(const std::vector<RowItem>& items) {
    std::vector<std::string> parts;
    for (const RowItem& item : items) {
        if (!isOfOrder(item.name)) parts.push_back(itemString(item.name, *item.value.code()));
    }
    return listed(parts);
}

std::string orderString(const std::string& name, bool ascending, bool nullsGiven, bool nullsFirst) {
    return name + (ascending ? "" : " descending") +
           (nullsGiven ? nullsFirst ? " with NULLs first" : " with NULLs last" : "");
}

// Returns the items of a node under a Sort that hold its hidden columns.
std::vector<OutputItem> itemsBelowSort(const PlanNode& node) {
    std::vector<OutputItem> items;
    if (node.kind == PlanNode::Kind::Distinct) return itemsBelowSort(*node.input);
    if (node.kind == PlanNode::Kind::Project) {
        for (const RowItem& item : static_cast<const ProjectNode&>(node).items)
            items.push_back({{item.name}, item.value.code()});
    } else if (node.kind == PlanNode::Kind::Collect) {
        for (const CollectNode::Item& item : static_cast<const CollectNode&>(node).items)
            items.push_back(item.item.written);
    } else if (node.kind == PlanNode::Kind::WholeGroups) {
        for (const WholeGroupsNode::Item& item : static_cast<const WholeGroupsNode&>(node).items)
            items.push_back(item.item.written);
    } else if (node.kind == PlanNode::Kind::Window) {
        for (const WindowItem& item : static_cast<const WindowNode&>(node).items) items.push_back(item.whole.written);
    } else if (node.kind == PlanNode::Kind::Phases) {
        return itemsBelowSort(*static_cast<const PhasesNode&>(node).whole);
    } else if (node.kind == PlanNode::Kind::Aggregate) {
        const auto& aggregate = static_cast<const AggregateNode&>(node);
        for (const BoundItem& item : aggregate.items) items.push_back(item.written);
        for (size_t k = 0; k < aggregate.keys.size(); ++k)
            items.push_back({{lastOrderColumn(k)}, aggregate.keys[k].written.value});
    }
    return items;
}

// Returns the expression for which a hidden name of the order was made.
std::string keyString(const PlanNode& below, const Node& key) {
    const std::string string = toSource(key);
    if (key.kind != NodeKind::Name || !static_cast<const Name&>(key).name.starts_with(' ')) return string;
    const std::string& name = static_cast<const Name&>(key).name;
    for (const OutputItem& item : itemsBelowSort(below)) {
        if (item.names[0] == name) return toSource(*item.value);
    }
    return string;
}

// Returns the condition after `having` that a node applies; null without one.
NodeRef havingOf(const PlanNode& plan) {
    const auto of = [](const auto& node) { return node.having ? node.having->written.value : NodeRef(); };
    switch (plan.kind) {
        case PlanNode::Kind::Aggregate:
            return of(static_cast<const AggregateNode&>(plan));
        case PlanNode::Kind::WholeGroups:
            return of(static_cast<const WholeGroupsNode&>(plan));
        case PlanNode::Kind::Interval:
            return havingOf(*static_cast<const IntervalNode&>(plan).groups);
        case PlanNode::Kind::Cumulative:
            return of(static_cast<const CumulativeNode&>(plan));
        case PlanNode::Kind::CumulativeRows:
            return of(static_cast<const CumulativeRowsNode&>(plan));
        case PlanNode::Kind::Window: {
            const auto& having = static_cast<const WindowNode&>(plan).having;
            return having ? having->whole.written.value : NodeRef();
        }
        default:
            return NodeRef();
    }
}

// Returns how a node that groups or windows rows is shown.
std::string groupText(const PlanNode& plan) {
    using Kind = PlanNode::Kind;
    switch (plan.kind) {
        case Kind::Collect:
            return "collect rows, then compute " +
                   itemsString(static_cast<const CollectNode&>(plan).items, &CollectNode::Item::item);
        case Kind::Aggregate: {
            const auto& node = static_cast<const AggregateNode&>(plan);
            std::vector<OutputItem> items;
            for (const BoundItem& item : node.items) items.push_back(item.written);
            // Keys that the list does not show stand in front.
            items.erase(items.begin(), items.end() - static_cast<int64_t>(node.aggregates.items.size()));
            return "aggregate " + itemsString(items) + (node.keys.empty() ? "" : " by " + itemsString(node.keys));
        }
        case Kind::WholeGroups: {
            const auto& node = static_cast<const WholeGroupsNode&>(plan);
            return "put the rows of each group by " + itemsString(node.keys) + " together, then compute " +
                   itemsString(node.items, &WholeGroupsNode::Item::item);
        }
        case Kind::Interval: {
            const auto& node = static_cast<const IntervalNode&>(plan);
            return "aggregate by intervals " + itemsString(node.keys) + ": " + itemsString(node.items);
        }
        case Kind::Cumulative: {
            const auto& node = static_cast<const CumulativeNode&>(plan);
            return "cumulative groups by " + itemsString(node.keys) + ": " + itemsString(node.items);
        }
        case Kind::CumulativeRows: {
            const auto& node = static_cast<const CumulativeRowsNode&>(plan);
            return "cumulative groups of rows by " + itemsString(node.keys) + ": " + itemsString(node.items);
        }
        case Kind::Pivot: {
            const auto& node = static_cast<const PivotNode&>(plan);
            std::vector<OutputItem> items;
            for (const PivotNode::Item& item : node.items) items.push_back(item.written);
            return "pivot by " + itemsString(node.keys) + ": " + itemsString(items);
        }
        case Kind::Window: {
            const auto& node = static_cast<const WindowNode&>(plan);
            return "context by " + itemsString(node.partitionBy) + ": " + itemsString(node.items, &WindowItem::whole);
        }
        case Kind::Roll: {
            const auto& node = static_cast<const RollNode&>(plan);
            return "rolling windows within " + itemsString(node.partitionBy) + ": " + itemsString(node.items);
        }
        case Kind::Over:
            return "windows: " + itemsString(static_cast<const OverNode&>(plan).items);
        case Kind::PerPartition:
            return "in each partition by itself";
        case Kind::Phases:
            return "merge the results of the partitions: " + itemsString(itemsBelowSort(plan));
        default:
            return "";
    }
}

std::string topText(const TopRowsNode& top) {
    std::vector<std::string> keys;
    for (const TopKey& key : top.keys) {
        const std::string name = toSource(*top.items[key.item].value.code());
        keys.push_back(orderString(name, key.ascending, key.nullsGiven, key.nullsFirst));
    }
    return "first " + withCommas(top.count) + " by " + listed(keys) + ", then for those " + itemsString(top.items);
}

std::string sortText(const SortNode& sort) {
    std::vector<std::string> keys;
    for (const OrderItem& o : sort.keys)
        keys.push_back(orderString(keyString(*sort.input, *o.value), o.ascending, o.nullsGiven, o.nullsFirst));
    return "sort by " + listed(keys);
}

std::string limitText(const LimitNode& limit) {
    const std::string from = limit.begin > 0 ? " from row " + withCommas(limit.begin) : "";
    return limit.count == INT64_MAX ? "rows" + from : "limit " + withCommas(limit.count) + from;
}

}  // namespace

std::string nodeText(const PlanNode& plan) {
    using Kind = PlanNode::Kind;
    switch (plan.kind) {
        case Kind::Constants:
            return "one row: " + itemsString(static_cast<const ConstantsNode&>(plan).items);
        case Kind::Scan:
            return "scan";
        case Kind::Limit:
            return limitText(static_cast<const LimitNode&>(plan));
        case Kind::Project: {
            const auto& project = static_cast<const ProjectNode&>(plan);
            const bool ends = project.needed < INT64_MAX;
            return "project " + itemsString(project.items) +
                   (ends ? "; ends after " + withCommas(project.needed) + " rows" : "");
        }
        case Kind::TopRows:
            return topText(static_cast<const TopRowsNode&>(plan));
        case Kind::Filter: {
            std::vector<std::string> conditions;
            for (const ExpressionProgram& condition : static_cast<const FilterNode&>(plan).conditions)
                conditions.push_back(toSource(*condition.code()));
            return "where " + listed(conditions) + " among the rows so far";
        }
        case Kind::Distinct:
            return "distinct rows";
        case Kind::Sort:
            return sortText(static_cast<const SortNode&>(plan));
        default: {
            const NodeRef having = havingOf(plan);
            return groupText(plan) + (having ? "\n  groups where " + toSource(*having) : "");
        }
    }
}

bool isShown(const PlanNode& plan) {
    if (plan.kind != PlanNode::Kind::Limit) return true;
    // The rows of TopRows are all that are left, unless some are left out in front.
    const auto& limit = static_cast<const LimitNode&>(plan);
    return !limit.isAll() && (limit.begin > 0 || limit.input->kind != PlanNode::Kind::TopRows);
}

}  // namespace pelorus
