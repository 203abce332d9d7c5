#include "sql/physical/run_select.h"

#include "sql/bind/nodes/bind_select.h"
#include "sql/execution/query_profile.h"
#include "sql/physical/executed_plan.h"
#include "sql/physical/prepare_select.h"
#include "sql/physical/run_subqueries.h"
#include "sql/plan/optimize.h"
#include "sql/plan/rules/key_lookup.h"

namespace pelorus {

SelectItem countOfRows(SourcePosition here) {
    std::vector<Argument> all;
    all.push_back({"", makeRef<Star>(here)});
    return {makeRef<Call>(makeRef<Name>("count", here), std::move(all), Call::Style::Function, here), {}, {}};
}

namespace {

SelectedRows runBound(const Query& query, PlanRef bound, Context& context) {
    PlanRef plan = optimized(std::move(bound), context);
    return QueryTrace::isOn() ? runTraced(std::move(plan), query, context) : runPipelines(*plan, context);
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
    if (!query.table) return bindConstants(*withSubqueries(query, {}, context), context);
    return boundOver(
        query, [&] { return prepareSelect(query, context); }, context);
}

SelectedRows selectRows(const Query& query, Context& context) {
    return runBound(query, boundSelect(query, context), context);
}

SelectedRows selectRows(const Query& query, RowSource source, Context& context) {
    const auto prepare = [&] { return prepareSelect(query, std::move(source), context); };
    return runBound(query, boundOver(query, prepare, context), context);
}

}  // namespace pelorus
