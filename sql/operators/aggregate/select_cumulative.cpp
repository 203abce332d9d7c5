// cgroup by: each group holds the rows of those before it, in the order of order by.
#include "sql/operators/aggregate/select_cumulative.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/aggregate/value_state.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "sql/bind/plan_aggregates.h"
#include "sql/expression/bind_expression.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/aggregate/hash_aggregate.h"
#include "sql/operators/aggregate/select_grouped.h"
#include "sql/operators/select_rows.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/remote/partial_query.h"

namespace pelorus {

namespace {

// Returns positions of the groups in the order of order by, which may name keys only; ties are ordered by their keys.
std::vector<int32_t> orderedGroups(const SelectPlan& plan, const MemoryTable& keys, Context& context) {
    std::vector<OrderKey> order = orderKeys(plan.query->orderBy, keys, context);
    for (int k = 0; k < keys.columnCount(); ++k) order.push_back({keys.column(k)});
    return sortPositions(order, keys.rowCount());
}

Ref<MemoryTable> keysTable(const SelectPlan& plan, const std::vector<Value>& keys) {
    auto table = makeRef<MemoryTable>();
    for (size_t k = 0; k < plan.keys.size(); ++k) table->setColumn(plan.keys[k].names[0], keys[k]);
    return table;
}

// Accumulation that each group belongs to: that of its group by keys.
struct Accumulations {
    std::vector<int32_t> of;
    size_t count = 1;
};
Accumulations accumulationsOf(const SelectPlan& plan, const MemoryTable& keys, Context& context) {
    Accumulations result{std::vector<int32_t>(static_cast<size_t>(keys.rowCount()), 0)};
    const auto outerCount = plan.keys.size() - static_cast<size_t>(plan.query->cumulativeKeys);
    if (outerCount == 0) return result;
    std::vector<OutputItem> outerKeys;
    for (size_t k = 0; k < outerCount; ++k) {
        const std::string& name = plan.keys[k].names[0];
        outerKeys.push_back({{name}, makeRef<Name>(name, SourcePosition{}), true});
    }
    const RowGroups byOuter = groupRows(outerKeys, keys, context);
    result.count = byOuter.rows.size();
    for (size_t g = 0; g < byOuter.rows.size(); ++g) {
        for (int32_t r : byOuter.rows[g]) result.of[static_cast<size_t>(r)] = static_cast<int32_t>(g);
    }
    return result;
}

// Whether the whole select list can be computed from states, which are merged along the order of the groups.
bool planCumulative(const SelectPlan& plan, Context& context, AggregatePlan& aggregates) {
    for (const OutputItem& item : plan.items) {
        if (item.names.size() != 1) return false;
    }
    try {
        if (!planGroups(plan, context, aggregates)) return false;
        for (size_t i = 0; i < aggregates.calls.size(); ++i) {
            if (dynamic_cast<const ValueState*>(aggregates.newState(i).get())) return false;
        }
        return true;
    } catch (const UserError&) {
        return false;  // the row-based implementation reports an error, unless it can do it
    }
}

// Returns every group's states, merged with those of the groups before it in the same accumulation.
Ref<MemoryTable> cumulatedStates(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context) {
    PartialGroups groups = groupsOf(plan, aggregates, context);
    const Ref<MemoryTable> keys = keysTable(plan, groups.keys);
    const std::vector<int32_t> order = orderedGroups(plan, *keys, context);
    const Accumulations accumulations = accumulationsOf(plan, *keys, context);
    // Position 2j has the states of group j in the order, position 2j + 1 the accumulated ones up to there: each merge
    // step adds either to the accumulation of the next group, or to an unused position.
    const auto count = static_cast<int32_t>(order.size());
    std::vector<int32_t> place(order.size()), next(2 * order.size()), sums(order.size());
    std::vector<int32_t> last(accumulations.count, -1);
    for (int32_t j = 0; j < count; ++j) {
        const auto at = static_cast<size_t>(j);
        const auto group = static_cast<size_t>(order[at]);
        const auto accumulation = static_cast<size_t>(accumulations.of[group]);
        place[group] = 2 * j;
        sums[at] = 2 * j + 1;
        next[2 * at] = 2 * j + 1;
        next[2 * at + 1] = 2 * count + accumulations.of[group];
        if (last[accumulation] >= 0) next[static_cast<size_t>(last[accumulation])] = 2 * j + 1;
        last[accumulation] = 2 * j + 1;
    }
    Ref<MemoryTable> table = keys->gather(order.data(), count);
    for (size_t i = 0; i < aggregates.calls.size(); ++i) {
        const std::unique_ptr<GroupedState> state = aggregates.newState(i);
        state->resize(2 * int64_t{count} + static_cast<int64_t>(accumulations.count));
        state->merge(*groups.states[i], place.data(), count);
        groups.states[i].reset();
        state->merge(*state, next.data(), 2 * int64_t{count});
        table->setColumn(aggregates.calls[i].column, gatherElements(state->results(), sums.data(), count));
    }
    return table;
}

Ref<MemoryTable> selectCumulativeStates(const SelectPlan& plan, const AggregatePlan& aggregates, Context& context) {
    Ref<MemoryTable> table = cumulatedStates(plan, aggregates, context);
    if (aggregates.having) {
        const Value mask = bindProgram(aggregates.having, table->columns(), context).evaluate(context, *table);
        const std::vector<int32_t> kept = rowsWhere(mask, table->rowCount(), "having");
        table = table->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    auto result = makeRef<MemoryTable>();
    for (size_t k = 0; k < plan.keys.size(); ++k)
        result->setColumn(plan.keys[k].names[0], table->column(static_cast<int>(k)));
    for (size_t i = 0; i < plan.items.size(); ++i) {
        if (result->findColumn(plan.items[i].names[0]) >= 0) continue;
        const ExpressionProgram e = bindProgram(aggregates.items[i], table->columns(), context);
        addOutput(*result, plan.items[i], e.evaluate(context, *table), table->rowCount());
    }
    return result;
}

}  // namespace

Ref<MemoryTable> selectCumulative(const SelectPlan& plan, Context& context) {
    if (plan.query->orderBy.empty()) {
        throw UserError("cgroup by needs order by: the order in which the groups accumulate.");
    }
    AggregatePlan aggregates;
    if (!needsOtherNodes(plan.source, context) && planCumulative(plan, context, aggregates))
        return selectCumulativeStates(plan, aggregates, context);
    const Ref<MemoryTable> rows = filteredRows(plan, context);
    const RowGroups groups = groupRows(plan.keys, *rows, context);
    const Ref<MemoryTable> keys = keysTable(plan, groups.keys);
    const std::vector<int32_t> order = orderedGroups(plan, *keys, context);
    const Accumulations accumulations = accumulationsOf(plan, *keys, context);
    std::vector<std::vector<int32_t>> soFar(accumulations.count);
    std::vector<ExpressionProgram> items;
    std::vector<const OutputItem*> outputs;
    for (const OutputItem& item : plan.items) {
        const bool isKey = keys->findColumn(item.names[0]) >= 0;
        if (isKey) continue;
        items.push_back(bindProgram(item.value, rows->columns(), context));
        outputs.push_back(&item);
    }
    std::vector<std::vector<Value>> results(items.size());
    std::vector<int32_t> kept;
    for (int32_t g : order) {
        context.checkCancelled();
        std::vector<int32_t>& positions = soFar[static_cast<size_t>(accumulations.of[static_cast<size_t>(g)])];
        const auto& more = groups.rows[static_cast<size_t>(g)];
        positions.insert(positions.end(), more.begin(), more.end());
        const Ref<MemoryTable> part = rows->gather(positions.data(), static_cast<int64_t>(positions.size()));
        if (plan.query->having) {
            const ExpressionProgram having = bindProgram(plan.query->having, rows->columns(), context);
            if (!isTrue(having.evaluate(context, *part))) continue;
        }
        kept.push_back(g);
        for (size_t i = 0; i < items.size(); ++i) {
            Value v = items[i].evaluate(context, *part);
            if (!v.isScalar()) {
                throw UserError(
                    fmt::format("The column [{}] must use aggregate function. RefId: S02022", outputs[i]->names[0]),
                    fmt::format("Write an aggregate, as avg({0}) or last({0}), or {0} among the keys; context by keeps "
                                "all rows.",
                                outputs[i]->names[0]));
            }
            results[i].push_back(std::move(v));
        }
    }
    Ref<MemoryTable> result = keys->gather(kept.data(), static_cast<int64_t>(kept.size()));
    for (size_t i = 0; i < items.size(); ++i) {
        Value column = results[i].empty() ? columnWithoutGroups(outputs[i]->value, plan.source.columns(), context)
                                          : columnOf(std::move(results[i]));
        result->setColumn(outputs[i]->names[0], std::move(column));
    }
    return result;
}

}  // namespace pelorus
