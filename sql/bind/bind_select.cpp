#include "sql/bind/bind_select.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "interpreter/expression/elementwise_type.h"
#include "runtime/kernel/promotion.h"
#include "sql/bind/bind_only.h"
#include "sql/key_lookup.h"
#include "sql/query_trace.h"
#include "sql/select_interval.h"
#include "sql/select_roll.h"
#include "sql/window_functions.h"

namespace pelorus {

namespace {

using Stage = StageNode::Stage;

// Columns that order by needs and the result does not show ride along under hidden names. One name for each key, empty
// where the result has it.
std::vector<std::string> addHiddenOrder(SelectPlan& plan) {
    std::vector<std::string> hidden;
    if (plan.query->grouping != GroupKind::None) return hidden;
    for (size_t i = 0; i < plan.query->orderBy.size(); ++i) {
        const NodeRef& node = plan.query->orderBy[i].value;
        bool isResult = node->kind == NodeKind::Name &&
                        std::any_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
                            return std::find(item.names.begin(), item.names.end(),
                                             static_cast<const Name&>(*node).name) != item.names.end();
                        });
        bool readsSource = false;
        if (!isResult)
            forEachName(*node, [&](const Name& n) { readsSource |= plan.source.table->findColumn(n.name) >= 0; });
        hidden.push_back(readsSource ? fmt::format(" order{}", i) : "");
        if (readsSource) plan.items.push_back({{hidden.back()}, node, true});
    }
    return hidden;
}

// The rows that top or limit leave of the result. Neither is below 0.
struct RowRange {
    int64_t begin = 0, count = INT64_MAX;
};

Value constantOf(const NodeRef& node, Context& context) {
    ColumnExpression e(node, {}, context);
    return e.evaluate(context, std::span<const Value>(), 0);
}

RowRange rangeOf(const Query& query, Context& context) {
    RowRange range;
    if (query.top) {
        Value v = constantOf(query.top, context);
        if (v.isPair()) {
            // An end that is left out is open.
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

// Whether all items are calls of aggregates, a script's among them.
bool onlyAggregates(const SelectPlan& plan, Context& context) {
    return std::all_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
        if (item.value->kind != NodeKind::Call) return false;
        Ref<Function> f = calledFunction(static_cast<const Call&>(*item.value), context);
        return f && f->signature().aggregate;
    });
}

// Whether all items are aggregates, so that the whole table is one group whose states can be merged.
bool isGlobalAggregate(const SelectPlan& plan, Context& context) {
    if (plan.items.empty() || plan.query->grouping != GroupKind::None) return false;
    if (!needsOneRow(plan, context)) return false;
    AggregatePlan aggregates;
    if (!planGroups(plan, context, aggregates)) return false;
    // What is left of the items must not read rows any more.
    for (const NodeRef& item : aggregates.items) {
        bool readsRows = false;
        forEachName(*item, [&](const Name& n) { readsRows |= plan.source.table->findColumn(n.name) >= 0; });
        if (readsRows) return false;
    }
    return true;
}

bool hasTupleColumns(const TableSchema& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [](const ColumnSchema& c) { return storageOf(c.type) == Storage::Boxed; });
}

// The items as expressions, each of which gives one item for each row; nothing where one does not.
std::vector<RowItem> rowItems(const SelectPlan& plan, Context& context) {
    std::vector<RowItem> items;
    const TableSchema& columns = plan.source.columns();
    if (!plan.laterFilters.empty() || (plan.source.memory && hasTupleColumns(columns))) return {};
    for (const OutputItem& item : plan.items) {
        if (item.names.size() != 1) return {};
        ColumnExpression value(item.value, columns, context);
        // Array vectors are no vectors of one item per row.
        const int plain = value.plainColumn();
        if (!value.isElementwise() || (plain >= 0 && isArrayType(columns[static_cast<size_t>(plain)].type))) return {};
        items.push_back({item.names[0], std::move(value)});
    }
    return items;
}

// VOID where only rows tell the type.
ColumnSchema columnOf(const std::string& name, const OutputItem& item, const TableSchema& columns, Context& context) {
    const bool isOne = item.names.size() == 1;
    const std::optional<ResultType> type =
        isOne ? expressionType(*item.value, columns, context.scope) : std::optional<ResultType>();
    return type ? ColumnSchema{name, type->type, static_cast<uint8_t>(type->scale)} : ColumnSchema{name, Type::Void};
}

TableSchema schemaOf(const SelectPlan& plan, Context& context) {
    TableSchema schema;
    const auto add = [&](const OutputItem& item) {
        for (const std::string& name : item.names) {
            if (!name.empty()) schema.push_back(columnOf(name, item, plan.source.columns(), context));
        }
    };
    const auto isShown = [&](const OutputItem& key) {
        return std::any_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) {
            const bool names =
                item.value->kind == NodeKind::Name && static_cast<const Name&>(*item.value).name == key.names[0];
            return names || item.names[0] == key.names[0];
        });
    };
    // Keys of groups that are not shown stand in front: SQL-20.
    for (const OutputItem& key : plan.keys) {
        if (!isShown(key)) add(key);
    }
    for (const OutputItem& item : plan.items) add(item);
    return schema;
}

PlanRef stage(Stage kind, SelectPlan plan, Context& context) {
    auto scan = std::make_unique<ScanNode>(plan.source, plan.filters);
    scan->columns = plan.source.columns();
    const bool isKnown = kind != Stage::Pivot && kind != Stage::Windows && kind != Stage::GroupedWindows;
    TableSchema schema = isKnown ? schemaOf(plan, context) : TableSchema();
    auto node = std::make_unique<StageNode>(std::move(scan), kind, std::move(plan));
    node->columns = std::move(schema);
    return node;
}

// select 1 + 1
PlanRef constants(const Query& query, Context& context) {
    std::vector<OutputItem> items;
    for (const SelectItem& item : query.items) {
        const bool isNamed = !item.aliases.empty();
        items.push_back(
            {isNamed ? item.aliases : std::vector<std::string>{defaultColumnName(*item.value)}, item.value, isNamed});
    }
    auto node = std::make_unique<ConstantsNode>(std::move(items));
    for (const OutputItem& item : node->items) {
        for (const std::string& name : item.names) node->columns.push_back(columnOf(name, item, {}, context));
    }
    return node;
}

// Groups are not sorted by their keys to be sorted by others: the keys go behind those, or are the only ones.
void addKeysOfGroups(StageNode& groups, std::vector<OrderItem>& order, std::vector<std::string>& hidden) {
    if (groups.stage != Stage::Aggregate || groups.plan.keys.empty()) return;
    groups.keysLast = true;
    for (size_t k = 0; k < groups.plan.keys.size(); ++k) {
        hidden.push_back(lastOrderColumn(k));
        order.push_back({makeRef<Name>(hidden.back(), SourcePosition{})});
    }
}

}  // namespace

PlanRef bindRows(SelectPlan plan, Context& context) {
    switch (plan.query->grouping) {
        case GroupKind::Group:
            return groupsByInterval(plan, context) ? stage(Stage::Interval, std::move(plan), context)
                                                   : stage(Stage::Aggregate, std::move(plan), context);
        case GroupKind::Context:
            return rollsWindows(plan, context) ? stage(Stage::Roll, std::move(plan), context)
                                               : stage(Stage::Context, std::move(plan), context);
        case GroupKind::CumulativeGroup:
            return stage(Stage::Cumulative, std::move(plan), context);
        case GroupKind::Pivot:
            return stage(Stage::Pivot, std::move(plan), context);
        case GroupKind::None:
            break;
    }
    if (isGlobalAggregate(plan, context)) return stage(Stage::Aggregate, std::move(plan), context);
    if (onlyAggregates(plan, context)) return stage(Stage::MapReduce, std::move(plan), context);
    std::vector<RowItem> items = rowItems(plan, context);
    if (items.empty()) return stage(Stage::Collect, std::move(plan), context);
    auto scan = std::make_unique<ScanNode>(plan.source, plan.filters);
    scan->columns = plan.source.columns();
    auto project = std::make_unique<ProjectNode>(std::move(scan), std::move(items));
    for (const RowItem& item : project->items) {
        const int plain = item.value.plainColumn();
        const uint8_t scale = plain < 0 ? uint8_t{0} : plan.source.columns()[static_cast<size_t>(plain)].scale;
        project->columns.push_back({item.name, item.value.resultType(), scale});
    }
    return project;
}

Ref<MemoryTable> boundTable(const Query& query, Context& context) {
    TableSchema columns = bindSelect(query, context)->columns;
    for (ColumnSchema& column : columns) {
        if (column.type == Type::Void) column.type = Type::Any;
    }
    return MemoryTable::empty(columns);
}

PlanRef bindSelect(const Query& query, Context& context) {
    if (!query.table) return constants(query, context);
    SelectPlan plan = [&] {
        const TraceStep step("from");
        return planSelect(query, context);
    }();
    if (!BindOnly::isOn()) lookUpKeys(plan.source, plan.filters, context);
    if (query.map && plan.source.partitioned) return stage(Stage::ByPartition, std::move(plan), context);
    const bool windows = std::any_of(plan.items.begin(), plan.items.end(),
                                     [](const OutputItem& item) { return holdsWindow(*item.value); });
    if (windows) {
        const bool grouped = query.grouping == GroupKind::Group;
        return stage(grouped ? Stage::GroupedWindows : Stage::Windows, std::move(plan), context);
    }
    // One row has no order.
    if (query.grouping == GroupKind::None && isGlobalAggregate(plan, context)) plan.query->orderBy.clear();
    std::vector<std::string> hidden = addHiddenOrder(plan);
    std::vector<OrderItem> order = plan.query->orderBy;
    for (size_t i = 0; i < hidden.size(); ++i) {
        if (!hidden[i].empty()) order[i].value = makeRef<Name>(hidden[i], order[i].value->position);
    }
    std::erase(hidden, std::string());
    PlanRef rows = bindRows(std::move(plan), context);
    if (query.distinct) rows = std::make_unique<DistinctNode>(std::move(rows));
    const RowRange range = query.grouping == GroupKind::Context ? RowRange{} : rangeOf(query, context);
    const bool isCut = !order.empty() || query.limit || query.top;
    if (rows->kind == PlanNode::Kind::Stage && isCut) addKeysOfGroups(static_cast<StageNode&>(*rows), order, hidden);
    if (!order.empty()) rows = std::make_unique<SortNode>(std::move(rows), std::move(order));
    return std::make_unique<LimitNode>(std::move(rows), range.begin, range.count, std::move(hidden));
}

}  // namespace pelorus
