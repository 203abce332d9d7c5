// Names and types of the columns that each node gives, known before it runs.
#include <algorithm>
#include <optional>

#include "interpreter/expression/bind.h"
#include "sql/plan/group_nodes.h"
#include "sql/plan/node.h"
#include "sql/plan/partition_nodes.h"
#include "sql/plan/window_node.h"

namespace pelorus {

namespace {

// Adds the columns of an item over an input with these columns.
void addColumns(const OutputItem& item, const TableSchema& input, Context& context, TableSchema& columns) {
    std::optional<ResultType> type;
    if (item.names.size() == 1) type = typeOf(bindExpression(item.value, input, context));
    for (const std::string& name : item.names) {
        if (!name.empty())
            columns.push_back({name, type ? type->type : Type::Void, static_cast<uint8_t>(type ? type->scale : 0)});
    }
}

// Adds the columns of an item over groups, of whose code the aggregates are columns.
void addColumnsOfGroups(const BoundItem& item, const TableSchema& groups, Context& context, TableSchema& columns) {
    const Type type = item.value.resultType();
    const bool isTyped = item.value.isElementwise() && type != Type::Void && storageOf(type) != Storage::Boxed;
    if (isTyped && item.names().size() == 1) {
        columns.push_back({item.names()[0], type, item.value.resultScale()});
    } else {
        addColumns({item.names(), item.value.code()}, groups, context, columns);
    }
}

TableSchema columnsOfItems(const std::vector<RowItem>& items) {
    TableSchema columns;
    for (const RowItem& item : items) columns.push_back({item.name, item.value.resultType(), item.value.resultScale()});
    return columns;
}

}  // namespace

int numberNodes(PlanNode& plan, int first) {
    plan.id = first++;
    if (plan.input) first = numberNodes(*plan.input, first);
    if (plan.kind == PlanNode::Kind::Interval) first = numberNodes(*static_cast<IntervalNode&>(plan).groups, first);
    if (plan.kind != PlanNode::Kind::Phases) return first;
    auto& phases = static_cast<PhasesNode&>(plan);
    return numberNodes(*phases.whole, numberNodes(*phases.reduce, first));
}

ScanNode* scanOf(PlanNode& plan) {
    PlanNode* node = &plan;
    while (node->input) node = node->input.get();
    return node->kind == PlanNode::Kind::Scan ? static_cast<ScanNode*>(node) : nullptr;
}

TableSchema ConstantsNode::schema(Context& context) const {
    TableSchema columns;
    for (const BoundItem& item : items) addColumns(item.written, {}, context, columns);
    return columns;
}

TableSchema ScanNode::schema(Context&) const {
    if (!this->columns) return source.columns();
    TableSchema read;
    for (const int c : *this->columns) read.push_back(source.columns()[static_cast<size_t>(c)]);
    return read;
}

TableSchema FilterNode::schema(Context& context) const {
    return input->schema(context);
}

TableSchema ProjectNode::schema(Context&) const {
    return columnsOfItems(items);
}

TableSchema TopRowsNode::schema(Context&) const {
    return columnsOfItems(items);
}

TableSchema CollectNode::schema(Context& context) const {
    const TableSchema rows = input->schema(context);
    TableSchema columns;
    for (const Item& item : items) addColumns(item.item.written, rows, context, columns);
    return columns;
}

TableSchema AggregateNode::schema(Context& context) const {
    const TableSchema groups = columnsOfGroups(keys, aggregates);
    TableSchema columns;
    for (const BoundItem& item : items) addColumnsOfGroups(item, groups, context, columns);
    return columns;
}

TableSchema WholeGroupsNode::schema(Context& context) const {
    const TableSchema rows = input->schema(context);
    TableSchema columns;
    for (const size_t key : shownKeys) addColumns(keys[key].written, rows, context, columns);
    for (const Item& item : items) addColumns(item.item.written, rows, context, columns);
    return columns;
}

TableSchema CumulativeNode::schema(Context& context) const {
    TableSchema columns = columnsOfGroups(keys, {});
    const TableSchema groups = columnsOfGroups(keys, aggregates);
    for (const BoundItem& item : items) addColumnsOfGroups(item, groups, context, columns);
    return columns;
}

TableSchema CumulativeRowsNode::schema(Context& context) const {
    const TableSchema rows = input->schema(context);
    TableSchema columns;
    for (const BoundItem& key : keys) addColumns(key.written, rows, context, columns);
    for (const BoundItem& item : items) addColumns(item.written, rows, context, columns);
    return columns;
}

TableSchema IntervalNode::schema(Context& context) const {
    const TableSchema of = groups->schema(context), rows = input->schema(context);
    TableSchema columns;
    for (const Column& column : this->columns) {
        if (column.key < 0) {
            columns.push_back(of[static_cast<size_t>(column.group)]);
        } else {
            addColumns({{column.name}, column.key == interval ? x.code() : keys[static_cast<size_t>(column.key)].value},
                       rows, context, columns);
        }
    }
    return columns;
}

TableSchema PivotNode::schema(Context&) const {
    return {};
}

TableSchema WindowNode::schema(Context& context) const {
    const TableSchema rows = input->schema(context);
    TableSchema columns;
    for (const WindowItem& item : items) addColumns(item.whole.written, rows, context, columns);
    return columns;
}

TableSchema RollNode::schema(Context& context) const {
    const TableSchema rows = input->schema(context);
    TableSchema columns;
    for (const OutputItem& item : items) addColumns(item, rows, context, columns);
    if (!items[0].named) columns[0].name = "roll";
    return columns;
}

TableSchema OverNode::schema(Context&) const {
    return {};
}

TableSchema PerPartitionNode::schema(Context& context) const {
    return input->schema(context);
}

TableSchema PhasesNode::schema(Context& context) const {
    return whole->schema(context);
}

TableSchema DistinctNode::schema(Context& context) const {
    return input->schema(context);
}

TableSchema SortNode::schema(Context& context) const {
    return input->schema(context);
}

TableSchema LimitNode::schema(Context& context) const {
    TableSchema columns = input->schema(context);
    std::erase_if(columns, [&](const ColumnSchema& column) {
        return std::find(hidden.begin(), hidden.end(), column.name) != hidden.end();
    });
    return columns;
}

}  // namespace pelorus
