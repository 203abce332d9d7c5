#include "sql/operators/aggregate/cumulative_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/row_selection.h"
#include "runtime/kernel/sort/row_order.h"
#include "runtime/value/cast.h"
#include "sql/keys/row_groups.h"
#include "sql/operators/aggregate/grouped_rows.h"
#include "sql/operators/aggregate/hash_aggregate.h"
#include "sql/operators/select_rows.h"

namespace pelorus {

namespace {

// Returns positions of the groups in the order of order by, which may name keys only; ties are ordered by their keys.
std::vector<int32_t> orderedGroups(const GroupOrder& by, const MemoryTable& keys, Context& context) {
    std::vector<OrderKey> order = orderKeys(by.keys, keys, context);
    for (int k = 0; k < keys.columnCount(); ++k) order.push_back({keys.column(k)});
    return sortPositions(order, keys.rowCount());
}

Ref<MemoryTable> keysTable(const std::vector<BoundItem>& keys, const std::vector<Value>& values) {
    auto table = makeRef<MemoryTable>();
    for (size_t k = 0; k < keys.size(); ++k) table->setColumn(keys[k].names()[0], values[k]);
    return table;
}

// Accumulation that each group belongs to: that of its group by keys.
struct Accumulations {
    std::vector<int32_t> of;
    size_t count = 1;
};
Accumulations accumulationsOf(const GroupOrder& order, const MemoryTable& keys) {
    Accumulations result{std::vector<int32_t>(static_cast<size_t>(keys.rowCount()), 0)};
    if (order.outerKeys == 0) return result;
    std::vector<Value> outerKeys;
    for (size_t k = 0; k < order.outerKeys; ++k) outerKeys.push_back(keys.column(static_cast<int>(k)));
    const RowGroups byOuter = groupRows(outerKeys, keys.rowCount());
    result.count = byOuter.rows.size();
    for (size_t g = 0; g < byOuter.rows.size(); ++g) {
        for (int32_t r : byOuter.rows[g]) result.of[static_cast<size_t>(r)] = static_cast<int32_t>(g);
    }
    return result;
}

// Returns every group's states, merged with those of the groups before it in the same accumulation.
Ref<MemoryTable> mergedStates(const CumulativeNode& node, const RowSource& source, const NodeList& conditions,
                              Context& context) {
    const AggregatePlan& aggregates = node.aggregates;
    PartialGroups groups = groupsOf({source, conditions, node.keys, aggregates}, context);
    const Ref<MemoryTable> keys = keysTable(node.keys, groups.keys);
    const std::vector<int32_t> order = orderedGroups(node.order, *keys, context);
    const Accumulations accumulations = accumulationsOf(node.order, *keys);
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

}  // namespace

Ref<MemoryTable> cumulatedStates(const CumulativeNode& node, const RowSource& source, const NodeList& conditions,
                                 Context& context) {
    Ref<MemoryTable> table = mergedStates(node, source, conditions, context);
    if (node.having) {
        const Value mask = node.having->value.evaluate(context, *table);
        const std::vector<int32_t> kept = rowsWhere(mask, table->rowCount(), "having");
        table = table->gather(kept.data(), static_cast<int64_t>(kept.size()));
    }
    auto result = makeRef<MemoryTable>();
    for (size_t k = 0; k < node.keys.size(); ++k)
        result->setColumn(node.keys[k].names()[0], table->column(static_cast<int>(k)));
    for (const BoundItem& item : node.items)
        addOutput(*result, item.written, item.value.evaluate(context, *table), table->rowCount());
    return result;
}

Ref<MemoryTable> cumulatedRows(const CumulativeRowsNode& node, const MemoryTable& rows, Context& context) {
    const RowGroups groups = groupRows(node.keys, rows, context);
    const Ref<MemoryTable> keys = keysTable(node.keys, groups.keys);
    const std::vector<int32_t> order = orderedGroups(node.order, *keys, context);
    const Accumulations accumulations = accumulationsOf(node.order, *keys);
    std::vector<std::vector<int32_t>> soFar(accumulations.count);
    std::vector<std::vector<Value>> results(node.items.size());
    std::vector<int32_t> kept;
    for (int32_t g : order) {
        context.checkCancelled();
        std::vector<int32_t>& positions = soFar[static_cast<size_t>(accumulations.of[static_cast<size_t>(g)])];
        const auto& more = groups.rows[static_cast<size_t>(g)];
        positions.insert(positions.end(), more.begin(), more.end());
        const Ref<MemoryTable> part = rows.gather(positions.data(), static_cast<int64_t>(positions.size()));
        if (node.having && !isTrue(node.having->value.evaluate(context, *part))) continue;
        kept.push_back(g);
        for (size_t i = 0; i < node.items.size(); ++i) {
            Value v = node.items[i].value.evaluate(context, *part);
            if (!v.isScalar()) {
                const std::string& name = node.items[i].names()[0];
                throw UserError(fmt::format("The column [{}] must use aggregate function. RefId: S02022", name),
                                fmt::format("Write an aggregate, as avg({0}) or last({0}), or {0} among the keys; "
                                            "context by keeps all rows.",
                                            name));
            }
            results[i].push_back(std::move(v));
        }
    }
    Ref<MemoryTable> result = keys->gather(kept.data(), static_cast<int64_t>(kept.size()));
    for (size_t i = 0; i < node.items.size(); ++i) {
        const OutputItem& written = node.items[i].written;
        Value column = results[i].empty() ? columnWithoutGroups(written.value, rows.columns(), context)
                                          : columnOf(std::move(results[i]));
        result->setColumn(written.names[0], std::move(column));
    }
    return result;
}

}  // namespace pelorus
