#include "sql/physical/run_select.h"

#include <algorithm>

#include "sql/bind/nodes/bind_select.h"
#include "sql/execution/partition_advice.h"
#include "sql/execution/query_profile.h"
#include "sql/operators/scan/filter.h"
#include "sql/physical/prepare_select.h"
#include "sql/plan/optimize.h"
#include "sql/plan/rules/key_lookup.h"
#include "sql/plan/rules/prune.h"

namespace pelorus {

SelectItem countOfRows(SourcePosition here) {
    std::vector<Argument> all;
    all.push_back({"", makeRef<Star>(here)});
    return {makeRef<Call>(makeRef<Name>("count", here), std::move(all), Call::Style::Function, here), {}, {}};
}

namespace {

// Returns all conditions of the rows that a plan reads: those of the scan, then those that read more than one row.
NodeList conditionsOf(const PlanNode& plan, const ScanNode& scan) {
    NodeList conditions = scan.conditions;
    for (const PlanNode* node = &plan; node != nullptr; node = node->input.get()) {
        if (node->kind != PlanNode::Kind::Filter) continue;
        for (const ExpressionProgram& condition : static_cast<const FilterNode*>(node)->conditions)
            conditions.push_back(condition.code());
    }
    return conditions;
}

// Counts the rows that satisfy conditions, which a query itself finds out block by block only.
int64_t countSelected(const RowSource& source, const NodeList& where, Context& context) {
    const TracePause pause;
    auto query = makeRef<Query>(SourcePosition{});
    query->where = where;
    query->items.push_back(countOfRows(SourcePosition{}));
    return selectRows(*query, source, context).rows->column(0).at(0).asLong();
}

// Traces the source before the plan runs.
void traceSource(const PlanNode& plan, Context& context) {
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
    const NodeList where = conditionsOf(plan, *scan);
    if (where.empty()) return;
    TraceStep step("where");
    step.note("rows", countSelected(source, where, context));
}

SelectedRows runBound(PlanRef bound, Context& context) {
    const PlanRef plan = optimized(std::move(bound), context);
    traceSource(*plan, context);
    return runPipelines(*plan, context);
}

// Makes the plan of a select whose parts are `prepare()`d, as the step "from" of a trace.
template <class Prepare>
PlanRef boundOver(const Query& query, const Prepare& prepare, Context& context) {
    SelectPlan plan = [&] {
        const TraceStep step("from");
        return prepare();
    }();
    lookUpKeys(plan.source, plan.filters, context);
    return bindSelect(query, std::move(plan), context);
}

}  // namespace

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
