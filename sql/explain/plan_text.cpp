#include "sql/explain/plan_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "sql/bind/bind_source.h"
#include "sql/explain/bound_query.h"
#include "sql/explain/side_conditions.h"
#include "sql/expression/unknown_value.h"
#include "sql/expression/with_scope.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/partition_nodes.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/window_node.h"
#include "sql/rewrite/function_case.h"

namespace pelorus {

namespace {

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
    if (node.kind == PlanNode::Kind::Project) {
        for (const RowItem& item : static_cast<const ProjectNode&>(node).items)
            items.push_back({{item.name}, item.value.code()});
    } else if (node.kind == PlanNode::Kind::Collect) {
        for (const CollectNode::Item& item : static_cast<const CollectNode&>(node).items)
            items.push_back(item.item.written);
    } else if (node.kind == PlanNode::Kind::WholeGroups) {
        for (const WholeGroupsNode::Item& item : static_cast<const WholeGroupsNode&>(node).items)
            items.push_back(item.item.written);
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
        case PlanNode::Kind::Window:
            return of(static_cast<const WindowNode&>(plan));
        default:
            return NodeRef();
    }
}

// Returns how a node that groups or windows rows is shown.
std::string lineOf(const PlanNode& plan) {
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
            return "context by " + itemsString(node.partitionBy) + ": " + itemsString(node.calls, &WindowCall::item);
        }
        case Kind::Roll: {
            const SelectPlan& clauses = static_cast<const RollNode&>(plan).clauses;
            return "rolling windows within " + itemsString(clauses.keys) + ": " + itemsString(clauses.items);
        }
        case Kind::Over:
            return "windows: " + itemsString(static_cast<const OverNode&>(plan).clauses.items);
        case Kind::OverGroups: {
            const SelectPlan& clauses = static_cast<const OverGroupsNode&>(plan).clauses;
            return "windows over groups by " + itemsString(clauses.keys) + ": " + itemsString(clauses.items);
        }
        case Kind::PerPartition:
            return "in each partition by itself";
        case Kind::Phases:
            return "merge the results of the partitions: " + itemsString(itemsBelowSort(plan));
        default:
            return "";
    }
}

class PlanPrinter {
public:
    PlanPrinter(Context& context, const Query& whole) : context_(context), whole_(whole) {}

    std::string string;

    void query(const Query& query, int depth, bool showsColumns = true) {
        const BoundQuery bound = boundQuery(query, context_);
        if (showsColumns) line(depth, "columns: " + columnsString(bound.plan->schema(context_)));
        node(*bound.plan, {bound.source.get(), &query}, depth);
        for (const auto& [all, other] : query.unions) {
            line(depth, all ? "union all" : "union");
            this->query(static_cast<const Query&>(*other), depth + 1, false);
        }
    }

    // Prints a statement that changes rows: what it would do, then what it reads for that.
    void change(const Query& query) {
        const std::string name = nameOf(*query.table);
        if (query.verb == QueryVerb::Insert) return insert(query, name);
        std::vector<std::string> values;
        for (const SelectItem& item : query.items) values.push_back(item.aliases.at(0) + " = " + toSource(*item.value));
        const bool isUpdate = query.verb == QueryVerb::Update;
        line(0, isUpdate ? "update " + name + ": " + listed(values) : "delete from " + name);
        this->query(*rowsOfChange(query), 1, false);
    }

    void line(int depth, const std::string& what) {
        string += std::string(static_cast<size_t>(depth) * 2, ' ') + what + "\n";
    }

private:
    void insert(const Query& query, const std::string& name) {
        bindTable(query.table, "", context_);
        const size_t rows = query.insertRows.size();
        line(0, "insert into " + name + (rows > 0 ? fmt::format(": {} given rows", rows) : ""));
        if (!query.insertSource) return;
        if (query.insertSource->kind == NodeKind::Query)
            return this->query(static_cast<const Query&>(*query.insertSource), 1, false);
        line(1, toSource(*query.insertSource));
    }

    // Returns the select of the rows that an update or delete reads, with the values that it computes of them.
    static Ref<Query> rowsOfChange(const Query& change) {
        Ref<Query> rows = copyQuery(change);
        rows->verb = QueryVerb::Select;
        if (change.verb == QueryVerb::Delete) rows->items = {{makeRef<Star>(change.position), {}, {}}};
        if (!change.updateSource) return rows;
        rows->table = change.updateSource;
        rows->tableAlias = change.updateSourceAlias;
        rows->updateSource = NodeRef();
        return rows;
    }

    static std::string columnsString(const TableSchema& columns) {
        if (columns.empty()) return "as the rows decide";
        std::vector<std::string> parts;
        for (const ColumnSchema& c : columns) {
            const std::string scale = isDecimal(c.type) ? fmt::format("({})", c.scale) : "";
            parts.push_back(c.name + " " + (c.type == Type::Void ? "?" : std::string(typeName(c.type)) + scale));
        }
        return listed(parts);
    }

    // What a query reads, and that query. No source for one that reads nothing.
    struct Read {
        const SourceNode* source;
        const Query* query;
    };

    void node(const PlanNode& plan, const Read& read, int depth) {
        switch (plan.kind) {
            case PlanNode::Kind::Constants:
                return line(depth, "one row: " + itemsString(static_cast<const ConstantsNode&>(plan).items));
            case PlanNode::Kind::Scan:
                return scan(static_cast<const ScanNode&>(plan), read, depth);
            case PlanNode::Kind::Limit: {
                const auto& limit = static_cast<const LimitNode&>(plan);
                // The rows of TopRows are all that are left, unless some are left out in front.
                if (limit.isAll() || (limit.begin == 0 && limit.input->kind == PlanNode::Kind::TopRows))
                    return node(*limit.input, read, depth);
                const std::string from = limit.begin > 0 ? " from row " + withCommas(limit.begin) : "";
                line(depth, limit.count == INT64_MAX ? "rows" + from : "limit " + withCommas(limit.count) + from);
                return node(*limit.input, read, depth + 1);
            }
            case PlanNode::Kind::Project: {
                const auto& project = static_cast<const ProjectNode&>(plan);
                const bool ends = project.needed < INT64_MAX;
                line(depth, "project " + itemsString(project.items) +
                                (ends ? "; ends after " + withCommas(project.needed) + " rows" : ""));
                break;
            }
            case PlanNode::Kind::TopRows: {
                const auto& top = static_cast<const TopRowsNode&>(plan);
                std::vector<std::string> keys;
                for (const TopKey& key : top.keys) {
                    const std::string name = toSource(*top.items[key.item].value.code());
                    keys.push_back(orderString(name, key.ascending, key.nullsGiven, key.nullsFirst));
                }
                line(depth, "first " + withCommas(top.count) + " by " + listed(keys) + ", then for those " +
                                itemsString(top.items));
                break;
            }
            case PlanNode::Kind::Filter: {
                std::vector<std::string> conditions;
                for (const ExpressionProgram& condition : static_cast<const FilterNode&>(plan).conditions)
                    conditions.push_back(toSource(*condition.code()));
                line(depth, "where " + listed(conditions) + " among the rows so far");
                break;
            }
            case PlanNode::Kind::Distinct:
                line(depth, "distinct rows");
                break;
            case PlanNode::Kind::Sort: {
                const auto& sort = static_cast<const SortNode&>(plan);
                std::vector<std::string> keys;
                for (const OrderItem& o : sort.keys)
                    keys.push_back(
                        orderString(keyString(*plan.input, *o.value), o.ascending, o.nullsGiven, o.nullsFirst));
                line(depth, "sort by " + listed(keys));
                break;
            }
            default:
                line(depth, lineOf(plan));
                if (const NodeRef having = havingOf(plan)) line(depth + 1, "groups where " + toSource(*having));
        }
        if (plan.input) node(*plan.input, read, depth + 1);
    }

    void scan(const ScanNode& scan, const Read& read, int depth) {
        const SourceNode& source = *read.source;
        const bool isJoin = source.kind == SourceNode::Kind::Join || source.kind == SourceNode::Kind::JoinFunction;
        depth = where(scan.conditions, depth);
        if (isJoin) return join(source, *read.query, depth);
        this->source(source, &scan, scan.conditions, depth);
    }

    // Prints conditions. Returns the depth of what they are about.
    int where(const NodeList& conditions, int depth) {
        if (conditions.empty()) return depth;
        std::vector<std::string> parts;
        for (const NodeRef& condition : conditions) parts.push_back(toSource(*condition));
        line(depth, "where " + listed(parts));
        return depth + 1;
    }

    // Prints a join and its sides, with the conditions that these take before it.
    void join(const SourceNode& join, const Query& query, int depth) {
        const std::vector<NodeList> conditions = conditionsOfSides(join, query, context_);
        const auto side = [&](const SourceNode& source, size_t i) {
            this->source(source, nullptr, conditions[i], where(conditions[i], depth + 1));
        };
        if (join.kind == SourceNode::Kind::JoinFunction) {
            line(depth, "join: " + toSource(*join.code));
            for (size_t i = 0; i < 2; ++i) {
                if (const SourceNode* of = static_cast<const JoinFunctionNode&>(join).side(i)) side(*of, i);
            }
            return;
        }
        const auto& joins = static_cast<const JoinNode&>(join);
        std::vector<std::string> later;
        for (const JoinClause& clause : joins.clauses)
            later.push_back(toSource(*clause.table) + (clause.on ? " on " + toSource(*clause.on) : ""));
        line(depth, "join: " + toSource(*join.code) + " with " + listed(later));
        for (size_t i = 0; i < joins.sides.size(); ++i) side(*joins.sides[i], i);
    }

    // Prints what is read, of which rows that satisfy the conditions. `scan`: how the query reads it, when it is no
    // side of a join.
    void source(const SourceNode& node, const ScanNode* scan, const NodeList& conditions, int depth) {
        using Kind = SourceNode::Kind;
        const NodeRef& table = node.code;
        if (node.kind == Kind::Derived) return query(static_cast<const Query&>(*table), depth, false);
        // Conditions of the query are about the rows of all joins.
        if (node.kind == Kind::Join || node.kind == Kind::JoinFunction)
            return join(node, *makeRef<Query>(table->position), depth);
        if (isOfWith(*table)) return line(depth, "scan " + nameOf(*table) + ", see with");
        const Value value = scan ? Value::of(scan->source.table) : static_cast<const TableSourceNode&>(node).table;
        if (!value.isTable()) return line(depth, toSource(*table));
        PartitionedTable* partitioned = value.table().asPartitioned();
        if (partitioned == nullptr) {
            return line(
                depth, fmt::format("scan {}: {} rows in memory", nameOf(*table), withCommas(value.table().rowCount())));
        }
        const std::shared_ptr<TableSnapshot> snapshot = partitioned->snapshot(context_.principal());
        std::vector<ColumnConstraint> constraints;
        for (const NodeRef& condition : conditions) {
            ColumnConstraint constraint;
            if (!holdsUnknown(*condition) && constraintOf(*condition, partitioned->columns(), context_, constraint))
                constraints.push_back(std::move(constraint));
        }
        const size_t all = snapshot->partitions().size();
        const size_t read = prunePartitions(*partitioned, *snapshot, constraints).size();
        const std::string name = partitioned->databasePath().empty()
                                     ? nameOf(*table)
                                     : partitioned->databasePath() + "/" + partitioned->name;
        line(depth, fmt::format("scan {}: {} of {} partitions", name, withCommas(static_cast<int64_t>(read)),
                                withCommas(static_cast<int64_t>(all))));
    }

    bool isOfWith(const Node& table) const {
        return table.kind == NodeKind::Name &&
               std::any_of(whole_.with.begin(), whole_.with.end(),
                           [&](const auto& with) { return with.first == static_cast<const Name&>(table).name; });
    }

    static std::string nameOf(const Node& table) {
        if (table.kind == NodeKind::Name) return static_cast<const Name&>(table).name;
        const bool isValue = table.kind == NodeKind::Constant;
        const std::string spelling = isValue ? static_cast<const Constant&>(table).spelling : toSource(table);
        return spelling.empty() ? "a table" : spelling;
    }

    Context& context_;
    const Query& whole_;  // whose `with` names tables
};

}  // namespace

std::string planText(const Query& query, Context& context) {
    if (query.callsUnknown) return planText(*withBuiltinsOfAnyCase(query, context), context);
    WithScope scope(context.scope);
    Context inner = context;
    if (!query.with.empty()) inner.scope = &scope;
    for (const auto& [name, table] : query.with)
        scope.add(name, Value::of(Ref<Table>(boundTable(static_cast<const Query&>(*table), inner))));
    PlanPrinter printer(inner, query);
    const bool isSelect = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
    if (isSelect) {
        printer.query(query, 0);
    } else {
        printer.change(query);
    }
    for (const auto& [name, table] : query.with) {
        printer.line(0, "with " + name);
        printer.query(static_cast<const Query&>(*table), 1, false);
    }
    printer.string.pop_back();
    return printer.string;
}

}  // namespace pelorus
