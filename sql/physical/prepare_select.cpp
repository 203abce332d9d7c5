#include "sql/physical/prepare_select.h"

#include <algorithm>

#include "runtime/code/rewrite.h"
#include "sql/bind/bind_source.h"
#include "sql/bind/correlation.h"
#include "sql/bind/plan_select.h"
#include "sql/physical/dependent_join.h"
#include "sql/physical/run_join_graph.h"
#include "sql/physical/run_source.h"
#include "sql/physical/run_subqueries.h"
#include "sql/physical/source_columns.h"
#include "sql/rewrite/constant_calls.h"

namespace pelorus {

// Computes the sub-queries in the conditions of a graph of joins that need no rows of it: such conditions may be
// applied to one of its tables.
static Ref<Query> withKnownConditions(const Query& query, const SourceRef& source, Context& context) {
    const Ref<Query> given(const_cast<Query*>(&query));
    const auto* joins = dynamic_cast<const JoinNode*>(source.get());
    const auto holdsQuery = [](const NodeRef& part) { return holdsSubqueries(part); };
    if (!joins || sidesOfGraph(*joins, query) == 0 || std::none_of(query.where.begin(), query.where.end(), holdsQuery))
        return given;
    const RowSource columns = columnsOf(query, source, context);
    Ref<Query> known = copyQuery(query);
    known->where.clear();
    for (const NodeRef& condition : query.where) {
        NodeList parts;
        splitAnd(condition, parts);
        NodeRef whole;
        for (const NodeRef& part : parts) {
            const bool isOwn = holdsSubqueries(part) && !namesOuterColumns(part, asOuterRows(query, columns), context);
            const NodeRef own = isOwn ? withResults(part, context) : part;
            whole = whole ? NodeRef(makeRef<Binary>(Operator::And, whole, own, condition->position)) : own;
        }
        known->where.push_back(std::move(whole));
    }
    return known;
}

SelectPlan prepareSelect(const Query& query, Context& context) {
    requireClausesOfGroups(query);
    const SourceRef source = bindSource(query, context);
    const Ref<Query> known = withKnownConditions(query, source, context);
    return prepareSelect(*known, runSource(*known, *source, context), context);
}

SelectPlan prepareSelect(const Query& query, RowSource source, Context& context) {
    NamedQuery named = resolveNames(query, source);
    DependentQuery whole = withDependentColumns(std::move(named), std::move(source), context);
    Ref<Query>& resolved = whole.query.resolved;
    resolved = withSubqueries(*resolved, whole.source.columns(), context);
    resolved = withConstantCalls(*resolved, whole.source.columns(), context);
    return planSelect(std::move(whole.query), std::move(whole.source), context);
}

}  // namespace pelorus
