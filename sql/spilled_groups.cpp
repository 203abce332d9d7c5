#include "sql/spilled_groups.h"

#include <algorithm>

#include "sql/spilled_parts.h"

namespace pelorus {

namespace {

// Columns of the source that keys and aggregates read.
std::vector<int> columnsRead(const std::vector<ColumnExpression>& keys, const AggregatePlan& aggregates) {
    std::vector<int> columns;
    const auto add = [&](const ColumnExpression& e) {
        columns.insert(columns.end(), e.columns().begin(), e.columns().end());
    };
    for (const ColumnExpression& key : keys) add(key);
    for (const AggregateCall& call : aggregates.calls) {
        for (const ColumnExpression& argument : call.arguments) add(argument);
    }
    // Groups of constants still have as many rows.
    if (columns.empty()) columns.push_back(0);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

}  // namespace

bool canSpillGroups(const SelectPlan& plan) {
    return !plan.keys.empty() && SpilledParts::canHold(plan.source.columns());
}

void forEachSpilledPart(const SelectPlan& plan, const AggregatePlan& aggregates, const std::vector<Morsel>& morsels,
                        Filter& filter, Context& context, const std::function<void(const std::vector<Morsel>&)>& f) {
    std::vector<ColumnExpression> keys;
    for (const OutputItem& key : plan.keys) keys.emplace_back(key.value, plan.source.columns(), context);
    const SpilledParts parts(*spillFolderOf(context), plan.source.columns(), cutByKeys(keys),
                             columnsRead(keys, aggregates), false, morsels, filter, context);
    for (size_t p = 0; p < SpilledParts::kCount; ++p) {
        if (const std::vector<Morsel> part = parts.morsels(p); !part.empty()) f(part);
    }
}

}  // namespace pelorus
