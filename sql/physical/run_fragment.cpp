#include "sql/physical/run_fragment.h"

#include <vector>

#include "runtime/registry/registry.h"
#include "runtime/serialize/received.h"
#include "sql/bind/nodes/bind_groups.h"
#include "sql/operators/aggregate/hash_aggregate.h"
#include "sql/operators/scan/scan_columns.h"
#include "sql/physical/prepare_select.h"
#include "sql/physical/run_select.h"
#include "sql/remote/arrived_part.h"

namespace pelorus {

namespace {

Value groupsOfPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    const SelectPlan plan = prepareSelect(*part.query, part.rowsOf(part.paths, outer), part.context);
    const std::optional<BoundStates> states = bindStates(plan, part.context);
    received::require(states.has_value(), "grouped query");
    received::require(plan.source.partitions && plan.source.partitions->size() == part.paths.size(), "partitions");
    std::vector<Value> results;
    for (const size_t partition : *plan.source.partitions) {
        RowSource one = plan.source;
        one.partitions = std::vector{partition};
        const RowsToGroup rows{one, plan.filters, states->keys, states->aggregates};
        results.push_back(saveGroups(groupsOf(rows, part.context)));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

Value rowsOfPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    received::require(arguments[6].isTypedVector() && arguments[6].type() == Type::Int, "columns");
    std::vector<Value> results;
    for (const std::string& path : part.paths) {
        SelectPlan plan = prepareSelect(*part.query, part.rowsOf({path}, outer), part.context);
        Filter filter(plan.filters, plan.source.columns(), part.context);
        std::vector<int> columns;
        for (int64_t c = 0; c < arguments[6].size(); ++c) {
            const int64_t column = arguments[6].at(c).integer();
            received::require(column >= 0 && column < static_cast<int64_t>(plan.source.columns().size()), "columns");
            columns.push_back(static_cast<int>(column));
        }
        results.push_back(Value::of(Ref<Table>(scanColumns(plan.source, filter, columns, part.context))));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

// Runs a statement in each partition by itself. Callers send only statements that make each result row from one row.
Value selectOnPartsKernel(Context& outer, Arguments arguments) {
    ArrivedPart part(outer, arguments);
    std::vector<Value> results;
    for (const std::string& path : part.paths) {
        results.push_back(
            Value::of(Ref<Table>(selectRows(*part.query, part.rowsOf({path}, outer), part.context).rows)));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

}  // namespace

void registerRunFragment(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add("groupsOfParts(query, names, database, table, snapshot, paths, [extra])", groupsOfPartsKernel,
                 {.summary = "The states of a grouped query over partitions of this node."}, kForNodes);
    registry.add("rowsOfParts(query, names, database, table, snapshot, paths, columns)", rowsOfPartsKernel,
                 {.summary = "Rows of partitions of this node that pass the conditions of a query."}, kForNodes);
    registry.add("selectOnParts(query, names, database, table, snapshot, paths, [extra])", selectOnPartsKernel,
                 {.summary = "The result of a query of rows in each of some partitions of this node."}, kForNodes);
}

}  // namespace pelorus
