#include "sql/physical/prepare_select.h"

#include "sql/bind/plan_select.h"
#include "sql/physical/run_source.h"
#include "sql/physical/run_subqueries.h"
#include "sql/rewrite/constant_calls.h"

namespace pelorus {

SelectPlan prepareSelect(const Query& query, Context& context) {
    requireClausesOfGroups(query);
    return prepareSelect(query, resolveSource(query, context), context);
}

SelectPlan prepareSelect(const Query& query, RowSource source, Context& context) {
    NamedQuery named = resolveNames(query, source);
    named.resolved = withSubqueries(*named.resolved, source.columns(), context);
    named.resolved = withConstantCalls(*named.resolved, source.columns(), context);
    return planSelect(std::move(named), std::move(source), context);
}

}  // namespace pelorus
