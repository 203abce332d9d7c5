#include "sql/plan/plan_columns.h"

#include <algorithm>

#include "interpreter/expression/bind.h"
#include "runtime/code/same_code.h"
#include "sql/plan/row_item.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

namespace {

void addColumns(const OutputItem& item, const TableSchema& source, Context& context, TableSchema& columns) {
    std::optional<ResultType> type;
    if (item.names.size() == 1) type = typeOf(bindExpression(item.value, source, context));
    for (const std::string& name : item.names) {
        if (!name.empty())
            columns.push_back({name, type ? type->type : Type::Void, static_cast<uint8_t>(type ? type->scale : 0)});
    }
}

// Keys of groups that the select list does not show come in front of it.
bool shows(const OutputItem& item, const OutputItem& key) {
    const bool isKey = item.value->kind == NodeKind::Name && static_cast<const Name&>(*item.value).name == key.names[0];
    return isKey || item.names[0] == key.names[0] || isSameCode(item.value, key.value);
}

TableSchema columnsOfRowsOfGroups(const SelectPlan& plan, Context& context) {
    TableSchema columns;
    for (const OutputItem& item : plan.items) addColumns(item, plan.source.columns(), context, columns);
    return columns;
}

// Returns the columns of the keys, then of the select list.
TableSchema columnsOfPlan(const SelectPlan& plan, Context& context) {
    TableSchema columns;
    const TableSchema& source = plan.source.columns();
    for (const OutputItem& key : plan.keys) {
        const bool isShown =
            std::any_of(plan.items.begin(), plan.items.end(), [&](const OutputItem& item) { return shows(item, key); });
        if (!isShown) addColumns(key, source, context, columns);
    }
    for (const OutputItem& item : plan.items) addColumns(item, source, context, columns);
    return columns;
}

TableSchema columnsOfStage(const StageNode& node, Context& context) {
    using Stage = StageNode::Stage;
    const Stage stage = node.stage;
    const bool decidedByRows = stage == Stage::Pivot || stage == Stage::Windows || stage == Stage::GroupedWindows;
    if (decidedByRows) return {};
    // The keys of context by are shown only if the select list names them.
    const bool showsItemsOnly = stage == Stage::Context || stage == Stage::Roll;
    TableSchema columns =
        showsItemsOnly ? columnsOfRowsOfGroups(node.plan, context) : columnsOfPlan(node.plan, context);
    if (stage == Stage::Roll && !node.plan.items[0].named) columns[0].name = "roll";
    return columns;
}

TableSchema columnsOfItems(const std::vector<RowItem>& items) {
    TableSchema columns;
    for (const RowItem& item : items) columns.push_back({item.name, item.value.resultType(), item.value.resultScale()});
    return columns;
}

}  // namespace

TableSchema columnsOf(const PlanNode& plan, Context& context) {
    TableSchema columns;
    switch (plan.kind) {
        case PlanNode::Kind::Constants:
            for (const OutputItem& item : static_cast<const ConstantsNode&>(plan).items)
                addColumns(item, {}, context, columns);
            return columns;
        case PlanNode::Kind::Scan:
            return static_cast<const ScanNode&>(plan).source.columns();
        case PlanNode::Kind::Project:
            return columnsOfItems(static_cast<const ProjectNode&>(plan).items);
        case PlanNode::Kind::TopRows:
            return columnsOfItems(static_cast<const TopRowsNode&>(plan).items);
        case PlanNode::Kind::Aggregate:
            return columnsOfPlan(static_cast<const AggregateNode&>(plan).plan, context);
        case PlanNode::Kind::Stage:
            return columnsOfStage(static_cast<const StageNode&>(plan), context);
        case PlanNode::Kind::Distinct:
        case PlanNode::Kind::Sort:
            return columnsOf(*plan.input, context);
        case PlanNode::Kind::Limit:
            columns = columnsOf(*plan.input, context);
            std::erase_if(columns, [&](const ColumnSchema& column) {
                const auto& hidden = static_cast<const LimitNode&>(plan).hidden;
                return std::find(hidden.begin(), hidden.end(), column.name) != hidden.end();
            });
            return columns;
    }
    return columns;
}

}  // namespace pelorus
