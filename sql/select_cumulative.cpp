// cgroup by: each group holds the rows of those before it, in the order of order by. SQL-45.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/code/rewrite.h"
#include "runtime/kernel/assemble.h"
#include "runtime/kernel/cast.h"
#include "runtime/kernel/row_order.h"
#include "sql/select.h"

namespace pelorus {

namespace {

// Positions of the groups in the order of order by, which may name keys only.
std::vector<int32_t> orderedGroups(const SelectPlan& plan, const MemoryTable& keys, Context& context) {
    std::vector<OrderKey> order;
    for (const OrderItem& item : plan.query->orderBy) {
        ColumnExpression e(item.value, keys.columns(), context);
        order.push_back({e.evaluate(context, keys), item.ascending, item.nullsGiven, item.nullsFirst});
    }
    return sortPositions(order, keys.rowCount());
}

}  // namespace

Ref<MemoryTable> selectCumulative(const SelectPlan& plan, Context& context) {
    if (plan.query->orderBy.empty()) {
        throw UserError("cgroup by needs order by: the order in which the groups accumulate.");
    }
    const Ref<MemoryTable> rows = filteredRows(plan, context);
    const RowGroups groups = groupRows(plan.keys, *rows, context);
    auto keys = makeRef<MemoryTable>();
    for (size_t k = 0; k < plan.keys.size(); ++k) keys->setColumn(plan.keys[k].names[0], groups.keys[k]);
    const std::vector<int32_t> order = orderedGroups(plan, *keys, context);
    // Which accumulation each group belongs to: that of its group by keys.
    const auto outerCount = plan.keys.size() - static_cast<size_t>(plan.query->cumulativeKeys);
    std::vector<int32_t> outer(static_cast<size_t>(keys->rowCount()), 0);
    size_t accumulations = 1;
    if (outerCount > 0) {
        std::vector<OutputItem> outerKeys;
        for (size_t k = 0; k < outerCount; ++k) {
            const std::string& name = plan.keys[k].names[0];
            outerKeys.push_back({{name}, makeRef<Name>(name, SourcePosition{}), true});
        }
        const RowGroups byOuter = groupRows(outerKeys, *keys, context);
        accumulations = byOuter.rows.size();
        for (size_t g = 0; g < byOuter.rows.size(); ++g) {
            for (int32_t r : byOuter.rows[g]) outer[static_cast<size_t>(r)] = static_cast<int32_t>(g);
        }
    }
    std::vector<std::vector<int32_t>> soFar(accumulations);
    std::vector<ColumnExpression> items;
    std::vector<const OutputItem*> outputs;
    for (const OutputItem& item : plan.items) {
        const bool isKey = keys->findColumn(item.names[0]) >= 0;
        if (isKey) continue;
        items.emplace_back(item.value, rows->columns(), context);
        outputs.push_back(&item);
    }
    std::vector<std::vector<Value>> results(items.size());
    std::vector<int32_t> kept;
    for (int32_t g : order) {
        context.checkCancelled();
        std::vector<int32_t>& positions = soFar[static_cast<size_t>(outer[static_cast<size_t>(g)])];
        const auto& more = groups.rows[static_cast<size_t>(g)];
        positions.insert(positions.end(), more.begin(), more.end());
        const Ref<MemoryTable> part = rows->gather(positions.data(), static_cast<int64_t>(positions.size()));
        if (plan.query->having) {
            ColumnExpression having(plan.query->having, rows->columns(), context);
            if (!isTrue(having.evaluate(context, *part))) continue;
        }
        kept.push_back(g);
        for (size_t i = 0; i < items.size(); ++i) {
            Value v = items[i].evaluate(context, *part);
            if (!v.isScalar()) {
                throw UserError(
                    fmt::format("The column [{}] must use aggregate function. RefId: S02022", outputs[i]->names[0]));
            }
            results[i].push_back(std::move(v));
        }
    }
    Ref<MemoryTable> result = keys->gather(kept.data(), static_cast<int64_t>(kept.size()));
    for (size_t i = 0; i < items.size(); ++i) {
        if (!results[i].empty()) result->setColumn(outputs[i]->names[0], listOf(std::move(results[i])));
    }
    return result;
}

}  // namespace pelorus
