#include "sql/physical/select_stages.h"

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "runtime/function/progress.h"
#include "runtime/value/cast.h"
#include "sql/bind/bind_select.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/execution/partition_advice.h"
#include "sql/execution/query_profile.h"
#include "sql/operators/aggregate/select_cumulative.h"
#include "sql/operators/aggregate/select_grouped.h"
#include "sql/operators/aggregate/select_interval.h"
#include "sql/operators/context/select_context.h"
#include "sql/operators/context/select_roll.h"
#include "sql/operators/pivot/select_pivot.h"
#include "sql/operators/row_concatenation.h"
#include "sql/operators/scan/scan.h"
#include "sql/operators/select_rows.h"
#include "sql/operators/window/grouped_windows.h"
#include "sql/operators/window/spilled_windows.h"
#include "sql/operators/window/window_functions.h"
#include "sql/physical/prepare_select.h"
#include "sql/physical/select_map_reduce.h"
#include "sql/plan/optimize.h"
#include "sql/plan/row_source.h"
#include "sql/plan/rules/key_lookup.h"
#include "sql/plan/rules/prune.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

namespace {

// `map`: the whole statement in every partition by itself, one result after the other.
Ref<MemoryTable> selectByPartition(const SelectPlan& plan, Context& context) {
    const TracePause pause;
    Filter filter(plan.filters, plan.source.columns(), context);
    std::vector<std::vector<size_t>> parts;
    for (const size_t p : partitionsToRead(plan.source, filter.constraints())) parts.push_back({p});
    if (parts.empty()) parts.emplace_back();
    RowConcatenation result;
    std::vector<PivotedRows> pivots;  // their columns are known when all have run
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Tasks, static_cast<int64_t>(parts.size()));
    for (std::vector<size_t>& part : parts) {
        context.checkCancelled();
        Ref<Query> own = copyQuery(*plan.query);
        own->map = false;
        RowSource source = plan.source;
        source.partitions = std::move(part);
        SelectedRows selected = selectRows(*own, std::move(source), context);
        if (selected.pivoted.table) {
            selected.pivoted.table = selected.rows;
            pivots.push_back(std::move(selected.pivoted));
        } else {
            result.add(*selected.rows);
        }
        progress.add(1);
    }
    unifyColumns(pivots, context);
    for (const PivotedRows& pivot : pivots) result.add(*pivot.table);
    return result.finish();
}

// Window functions become columns of the rows first; the query then reads those.
SelectedRows selectWithWindows(const Query& query, const Ref<MemoryTable>& rows, Context& context) {
    Ref<Query> rest = withWindowColumns(query, *rows, context);
    rest->table = makeRef<Constant>(Value::of(Ref<Table>(rows)), query.position);
    rest->tableAlias.clear();
    rest->joins.clear();
    rest->where.clear();
    return selectRows(*rest, context);
}

SelectedRows selectWithWindows(const SelectPlan& plan, Context& context) {
    SelectedRows selected;
    const auto select = [&](const Query& query, const Ref<MemoryTable>& rows) {
        selected = selectWithWindows(query, rows, context);
        return selected.rows;
    };
    selected.rows = selectWindowsInParts(plan, context, select);
    if (selected.rows) return selected;
    SelectPlan all = plan;
    all.items.clear();
    for (const ColumnSchema& c : plan.source.columns()) {
        all.items.push_back({{c.name}, makeRef<Name>(c.name, SourcePosition{}), true});
    }
    return selectWithWindows(*plan.query, filteredRows(all, context)->copy(), context);
}

// Window functions over the groups: the groups become a table first, with the inputs of the windows in addition to the
// output columns.
SelectedRows selectGroupedWindows(const SelectPlan& plan, Context& context) {
    GroupedWindows parts = splitGroupedWindows(plan);
    const Ref<MemoryTable> groups = selectRows(*parts.groups, plan.source, context).rows->copy();
    showGroups(parts, *groups);
    parts.windows->table = makeRef<Constant>(Value::of(Ref<Table>(groups)), plan.query->position);
    return selectRows(*parts.windows, context);
}

// The number of rows over all partitions is a sum of counts, which is LONG.
void countAsLong(const SelectPlan& plan, MemoryTable& rows) {
    if (!plan.source.partitioned() || plan.query->verb != QueryVerb::Exec) return;
    for (const OutputItem& item : plan.items) {
        if (item.value->kind != NodeKind::Call || item.names.size() != 1) continue;
        const NodeRef& callee = static_cast<const Call&>(*item.value).callee;
        if (roleOf(callee) != Role::Count) continue;
        const Value* counts = rows.column(item.names[0]);
        if (counts && counts->type() == Type::Int) rows.setColumn(item.names[0], cast(*counts, Type::Long));
    }
}

// Aggregates of scripts over all rows, per partition where they declare how.
SelectedRows reduced(const SelectPlan& plan, Context& context) {
    SelectedRows selected;
    selected.oneCell = true;
    selected.rows = selectMapReduce(plan, context);
    if (!selected.rows) selected.rows = collectedItems(plan, context);
    countAsLong(plan, *selected.rows);
    return selected;
}

// Groups whose functions read all rows: in parts, where the functions declare how.
Ref<MemoryTable> wholeGroups(const SelectPlan& plan, Context& context) {
    Ref<MemoryTable> reduced = selectMapReduce(plan, context);
    return reduced ? reduced : rowsOfWholeGroups(plan, context);
}

Ref<MemoryTable> cellsOfPivot(SelectPlan plan, Context& context) {
    if (plan.query->grouping != GroupKind::Group) return runPlan(*bindRows(std::move(plan), context), context).rows;
    AggregatePlan aggregates;
    return planGroups(plan, context, aggregates) ? aggregatedRows(plan, aggregates, false, context)
                                                 : wholeGroups(plan, context);
}

}  // namespace

SelectedRows runAggregate(const AggregateNode& node, Context& context) {
    SelectedRows selected;
    selected.oneCell = node.plan.query->grouping == GroupKind::None;
    selected.rows = aggregatedRows(node.plan, node.aggregates, node.keysLast, context);
    if (selected.oneCell) countAsLong(node.plan, *selected.rows);
    return selected;
}

SelectedRows runStage(const StageNode& node, Context& context) {
    using Stage = StageNode::Stage;
    const SelectPlan& plan = node.plan;
    SelectedRows selected;
    switch (node.stage) {
        case Stage::ByPartition:
            selected.rows = selectByPartition(plan, context);
            break;
        case Stage::Windows:
            return selectWithWindows(plan, context);
        case Stage::GroupedWindows:
            return selectGroupedWindows(plan, context);
        case Stage::WholeGroups:
            selected.rows = wholeGroups(plan, context);
            break;
        case Stage::MapReduce:
            return reduced(plan, context);
        case Stage::Interval:
            selected.rows = selectInterval(plan, context);
            break;
        case Stage::Context:
            selected.rows = selectContext(plan, context);
            break;
        case Stage::Roll:
            selected.rows = selectRoll(plan, context);
            break;
        case Stage::Cumulative:
            selected.rows = selectCumulative(plan, context);
            break;
        case Stage::Pivot:
            selected.pivoted = selectPivot(plan, cellsOfPivot(planOfCells(plan, context), context), context);
            selected.rows = selected.pivoted.table;
            break;
        case Stage::Collect:
            selected.rows = collectedItems(plan, context);
            break;
    }
    return selected;
}

// count(*)
SelectItem countOfRows(SourcePosition here) {
    std::vector<Argument> all;
    all.push_back({"", makeRef<Star>(here)});
    return {makeRef<Call>(makeRef<Name>("count", here), std::move(all), Call::Style::Function, here), {}, {}};
}

// Returns the scan that a plan begins with; null for constants.
static const ScanNode* scanOf(const PlanNode& plan) {
    const PlanNode* node = &plan;
    while (node->input) node = node->input.get();
    return node->kind == PlanNode::Kind::Scan ? static_cast<const ScanNode*>(node) : nullptr;
}

// Returns all conditions of a plan: a stage also takes those that read more than one row.
static const NodeList& conditionsOf(const PlanNode& plan, const ScanNode& scan) {
    const PlanNode* node = &plan;
    while (node->input && node->kind != PlanNode::Kind::Stage) node = node->input.get();
    return node->kind == PlanNode::Kind::Stage ? static_cast<const StageNode*>(node)->plan.query->where
                                               : scan.conditions;
}

// Counts the rows that satisfy conditions, which a query itself finds out block by block only.
static int64_t countSelected(const RowSource& source, const NodeList& where, Context& context) {
    const TracePause pause;
    auto query = makeRef<Query>(SourcePosition{});
    query->where = where;
    query->items.push_back(countOfRows(SourcePosition{}));
    return selectRows(*query, source, context).rows->column(0).at(0).asLong();
}

// Traces the source before the plan runs.
static void traceSource(const PlanNode& plan, Context& context) {
    const ScanNode* scan = QueryTrace::isOn() ? scanOf(plan) : nullptr;
    if (!scan) return;
    const RowSource& source = scan->source;
    if (source.partitioned()) {
        TraceStep map("map");
        const Filter filter(scan->conditions, source.columns(), context);
        const std::vector<size_t> chosen =
            prunePartitions(*source.partitioned(), *source.snapshot, filter.constraints());
        const std::string advice = partitionAdvice(*source.partitioned(), *source.snapshot, chosen);
        if (!advice.empty()) map.note("advice", advice);
    }
    const NodeList& where = conditionsOf(plan, *scan);
    if (where.empty()) return;
    TraceStep step("where");
    step.note("rows", countSelected(source, where, context));
}

static SelectedRows runBound(PlanRef bound, Context& context) {
    const PlanRef plan = optimized(std::move(bound), context);
    traceSource(*plan, context);
    return runPlan(*plan, context);
}

// Makes the plan of a select whose parts are `prepare()`d, as the step "from" of a trace.
template <class Prepare>
static PlanRef boundOver(const Query& query, const Prepare& prepare, Context& context) {
    SelectPlan plan = [&] {
        const TraceStep step("from");
        return prepare();
    }();
    lookUpKeys(plan.source, plan.filters, context);
    return bindSelect(query, std::move(plan), context);
}

PlanRef boundSelect(const Query& query, Context& context) {
    if (!query.table) return bindConstants(query, context);
    return boundOver(
        query, [&] { return prepareSelect(query, context); }, context);
}

SelectedRows selectRows(const Query& query, Context& context) {
    return runBound(boundSelect(query, context), context);
}

SelectedRows selectRows(const Query& query, RowSource source, Context& context) {
    const auto prepare = [&] { return prepareSelect(query, std::move(source), context); };
    return runBound(boundOver(query, prepare, context), context);
}

}  // namespace pelorus
