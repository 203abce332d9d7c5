#include "sql/physical/run_plan.h"

#include <algorithm>
#include <optional>

#include "sql/execution/query_profile.h"
#include "sql/expression/bind_expression.h"
#include "sql/operators/distinct.h"
#include "sql/operators/scan/scan.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/top_rows.h"
#include "sql/physical/select_stages.h"
#include "sql/plan/row_item.h"
#include "sql/plan/select_plan.h"
#include "sql/remote/partial_query.h"
#include "sql/spill/sorted_runs.h"

namespace pelorus {

namespace {

Ref<MemoryTable> constantRow(const ConstantsNode& node, Context& context) {
    auto result = makeRef<MemoryTable>();
    for (const OutputItem& item : node.items) {
        const ExpressionProgram value = bindProgram(item.value, {}, context);
        addOutput(*result, item, value.evaluate(context, std::span<const Value>(), 0), 1);
    }
    return result;
}

// If other nodes keep partitions, each computes its results, which are concatenated here.
Ref<MemoryTable> projected(const ProjectNode& node, Context& context) {
    const auto& scan = static_cast<const ScanNode&>(*node.input);
    if (needsOtherNodes(scan.source, context))
        return rowsFromNodes(scan.source, scan.conditions, node.items, {}, node.needed, context);
    Filter filter(scan.conditions, scan.source.columns(), context);
    return collectRows(scan.source, filter, node.items, node.needed, context);
}

Ref<MemoryTable> topped(const TopRowsNode& node, Context& context) {
    const auto& scan = static_cast<const ScanNode&>(*node.input);
    if (needsOtherNodes(scan.source, context)) {
        const Ref<MemoryTable> rows =
            rowsFromNodes(scan.source, scan.conditions, node.items, node.keys, node.count, context);
        std::vector<OrderKey> keys;
        for (const TopKey& key : node.keys)
            keys.push_back({rows->column(static_cast<int>(key.item)), key.ascending, key.nullsGiven, key.nullsFirst});
        const int64_t count = std::min(node.count, rows->rowCount());
        const std::vector<int32_t> first = firstPositions(keys, rows->rowCount(), count);
        return rows->gather(first.data(), count);
    }
    Filter filter(scan.conditions, scan.source.columns(), context);
    return topRows(scan.source, filter, node.items, node.keys, node.count, context);
}

Ref<MemoryTable> sorted(const SortNode& node, Ref<MemoryTable> rows, Context& context) {
    std::vector<OrderKey> keys = orderKeys(node.keys, *rows, context);
    return sortedRows(std::move(rows), std::move(keys), context, node.needed);
}

Ref<MemoryTable> limited(const LimitNode& node, Ref<MemoryTable> rows) {
    for (const std::string& name : node.hidden) {
        if (const int c = rows->findColumn(name); c >= 0) rows->dropColumn(c);
    }
    const int64_t total = rows->rowCount();
    const int64_t begin = std::min(node.begin, total);
    const int64_t count = std::min(node.count, total - begin);
    return begin == 0 && count == total ? rows : rows->slice(begin, count);
}

// Rows that are computed one by one are deduplicated early: only distinct ones are kept.
SelectedRows distinct(const DistinctNode& node, Context& context) {
    if (node.input->kind == PlanNode::Kind::Project && node.hidden == 0) {
        const auto& project = static_cast<const ProjectNode&>(*node.input);
        const auto& scan = static_cast<const ScanNode&>(*project.input);
        if (!needsOtherNodes(scan.source, context)) {
            TraceStep step("distinct");
            Filter filter(scan.conditions, scan.source.columns(), context);
            SelectedRows selected;
            selected.rows = distinctRows(scan.source, filter, project.items, node.needed, context);
            step.note("rows", selected.rows->rowCount());
            return selected;
        }
    }
    SelectedRows selected = runPlan(*node.input, context);
    const int keys = selected.rows->columnCount() - node.hidden;
    selected.rows = distinctRows(selected.rows, keys, node.needed);
    return selected;
}

const char* stepName(const PlanNode& node) {
    const bool isAggregate = node.kind == PlanNode::Kind::Aggregate;
    if (!isAggregate && node.kind != PlanNode::Kind::Stage) return "select";
    const SelectPlan& plan =
        isAggregate ? static_cast<const AggregateNode&>(node).plan : static_cast<const StageNode&>(node).plan;
    switch (plan.query->grouping) {
        case GroupKind::Group:
            return "groupBy";
        case GroupKind::Context:
            return "contextBy";
        case GroupKind::Pivot:
            return "pivotBy";
        case GroupKind::CumulativeGroup:
            return "cgroupBy";
        default:
            return "select";
    }
}

// Steps of a stage that itself runs queries are those queries' steps.
bool hasOwnSteps(const PlanNode& node) {
    if (node.kind != PlanNode::Kind::Stage) return false;
    const StageNode::Stage stage = static_cast<const StageNode&>(node).stage;
    return stage == StageNode::Stage::ByPartition || stage == StageNode::Stage::Windows ||
           stage == StageNode::Stage::GroupedWindows;
}

SelectedRows runRows(const PlanNode& plan, Context& context) {
    std::optional<TraceStep> step;
    if (!hasOwnSteps(plan)) step.emplace(stepName(plan));
    SelectedRows selected;
    switch (plan.kind) {
        case PlanNode::Kind::Project:
            selected.rows = projected(static_cast<const ProjectNode&>(plan), context);
            break;
        case PlanNode::Kind::TopRows:
            selected.rows = topped(static_cast<const TopRowsNode&>(plan), context);
            break;
        case PlanNode::Kind::Aggregate:
            selected = runAggregate(static_cast<const AggregateNode&>(plan), context);
            break;
        default:
            selected = runStage(static_cast<const StageNode&>(plan), context);
            break;
    }
    if (step) step->note("rows", selected.rows->rowCount());
    return selected;
}

}  // namespace

SelectedRows runPlan(const PlanNode& plan, Context& context) {
    SelectedRows selected;
    switch (plan.kind) {
        case PlanNode::Kind::Constants:
            selected.rows = constantRow(static_cast<const ConstantsNode&>(plan), context);
            return selected;
        case PlanNode::Kind::Limit:
            selected = runPlan(*plan.input, context);
            selected.rows = limited(static_cast<const LimitNode&>(plan), std::move(selected.rows));
            return selected;
        case PlanNode::Kind::Sort: {
            selected = runPlan(*plan.input, context);
            const TraceStep step("sort");
            selected.rows = sorted(static_cast<const SortNode&>(plan), std::move(selected.rows), context);
            return selected;
        }
        case PlanNode::Kind::Distinct:
            return distinct(static_cast<const DistinctNode&>(plan), context);
        default:
            return runRows(plan, context);
    }
}

}  // namespace pelorus
