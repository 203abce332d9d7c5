#include "sql/physical/bound_query.h"

#include "common/thread/stack_room.h"
#include "sql/bind/bind_source.h"
#include "sql/bind/nodes/bind_select.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/with_scope.h"
#include "sql/physical/run_source.h"
#include "sql/physical/source_columns.h"
#include "sql/physical/unknown_parts.h"
#include "sql/plan/optimize.h"
#include "sql/rewrite/function_case.h"

namespace pelorus {

BoundQuery boundQuery(const Query& query, Context& context) {
    requireStackRoom();
    if (!query.table) return {nullptr, bindConstants(query, context)};
    requireClausesOfGroups(query);
    BoundQuery bound;
    bound.source = knownSource(bindSource(query, context), context);
    RowSource columns = runSource(query, *sourceWithoutRows(bound.source, context), context);
    NamedQuery named = resolveNames(query, columns);
    named.resolved = withUnknownParts(*named.resolved, columns, context);
    const Ref<Query> whole = named.resolved;
    SelectPlan plan = planSelect(std::move(named), std::move(columns), context);
    bound.plan = optimized(bindSelect(*whole, std::move(plan), context), context);
    return bound;
}

Ref<MemoryTable> boundTable(const Query& query, Context& outer) {
    requireStackRoom();
    if (query.callsUnknown) return boundTable(*withBuiltinsOfAnyCase(query, outer), outer);
    WithScope scope(outer.scope);
    Context context = outer;
    if (!query.with.empty()) context.scope = &scope;
    for (const auto& [name, inner] : query.with)
        scope.add(name, Value::of(Ref<Table>(boundTable(static_cast<const Query&>(*inner), context))));
    TableSchema columns = boundQuery(query, context).plan->schema(context);
    for (ColumnSchema& column : columns) {
        if (column.type == Type::Void) column.type = Type::Any;
    }
    return MemoryTable::empty(columns);
}

}  // namespace pelorus
