#include "sql/physical/bound_query.h"

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "interpreter/bytecode/effects.h"
#include "runtime/code/rewrite.h"
#include "sql/bind/bind_source.h"
#include "sql/bind/correlation.h"
#include "sql/bind/nodes/bind_select.h"
#include "sql/bind/outer_columns.h"
#include "sql/bind/plan_select.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/unknown_value.h"
#include "sql/expression/with_scope.h"
#include "sql/physical/run_source.h"
#include "sql/physical/source_columns.h"
#include "sql/plan/optimize.h"
#include "sql/rewrite/constant_calls.h"
#include "sql/rewrite/standard_query.h"

namespace pelorus {
namespace {

// Returns the type of a query's only column; VOID where it has several, or rows decide.
Type typeOfQuery(const Query& query, Context& context) {
    const Ref<MemoryTable> bound = boundTable(query, context);
    return bound->columnCount() == 1 ? bound->columns()[0].type : Type::Void;
}

// Returns a sub-query with the columns that it names of the rows of the query around it.
Ref<Query> withOuterColumns(const Query& query, const OuterRows& outer, Context& context) {
    const auto named = correlated(query, outer, context);
    if (!named) return Ref<Query>(const_cast<Query*>(&query));
    return overDomain(*named->query, emptyDomain(named->columns, outer.source.columns()));
}

NodeRef unknownPart(const NodeRef& node, const OuterRows& outer, Context& context) {
    const TableSchema& columns = outer.source.columns();
    const auto known = [&](const Query& query) { return withOuterColumns(query, outer, context); };
    if (node->kind == NodeKind::Query)
        return unknownValue(*node, typeOfQuery(*known(static_cast<const Query&>(*node)), context));
    if (const Query* query = quantifiedQuery(*node, "exists")) {
        boundTable(*known(*query), context);
        return unknownValue(*node, Type::Bool);
    }
    // x > any (query)
    for (const char* word : {"any", "all"}) {
        if (const Query* query = quantifiedQuery(*node, word))
            return unknownValue(*node, typeOfQuery(*known(*query), context));
    }
    if (node->kind != NodeKind::Call) return NodeRef();
    if (isConstantCall(node, columns, context)) return unknownValue(*node, Type::Double);
    const bool mayChange = !readsColumn(node, columns) && effectOf(node, context) >= Effect::Writes;
    return mayChange ? unknownValue(*node, Type::Double) : NodeRef();
}

}  // namespace

Ref<Query> withUnknownParts(const Query& query, const RowSource& source, Context& context) {
    const OuterRows rows = asOuterRows(query, source);
    const OuterColumns outer(query, source.columns());
    try {
        Ref<Query> known = rewriteQuery(query, [&](const NodeRef& node) { return unknownPart(node, rows, context); });
        OuterColumns(*known, source.columns()).requireNone();
        for (NodeRef* part : {&known->top, &known->limit, &known->offset}) {
            if (*part && effectOf(*part, context) >= Effect::Writes) *part = NodeRef();
        }
        return known;
    } catch (const UserError& error) {
        if (const auto named = outer.explain(error)) throw *named;
        throw;
    }
}

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
    if (const Ref<Query> standard = standardQuery(query, outer)) return boundTable(*standard, outer);
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
