#include "sql/plan/optimize.h"
#include "sql/plan/row_item.h"

#include <algorithm>
#include <optional>

#include "common/error.h"

namespace pelorus {

namespace {

// More rows than this are sorted: their other columns are in most blocks, which would be read twice.
constexpr int64_t kMaxTopRows = 10'000;
// Rows of a table in memory cost nothing to read, and are sorted quickly: by several keys, or one that gives no bound
// for later blocks, TopRows is faster for few rows only.
constexpr int64_t kMaxTopRowsInMemory = 500;

void pushLimit(PlanNode& limit) {
    const int64_t needed = static_cast<LimitNode&>(limit).end();
    switch (limit.input->kind) {
        case PlanNode::Kind::Project:
            static_cast<ProjectNode&>(*limit.input).needed = needed;
            return;
        case PlanNode::Kind::Sort:
            static_cast<SortNode&>(*limit.input).needed = needed;
            return;
        case PlanNode::Kind::Distinct:
            static_cast<DistinctNode&>(*limit.input).needed = needed;
            return;
        default:
            return;
    }
}

// Returns the output columns that the keys name; nothing where one is computed from several.
std::optional<std::vector<TopKey>> keysAmong(const std::vector<RowItem>& items, const std::vector<OrderItem>& order) {
    std::vector<TopKey> keys;
    for (const OrderItem& o : order) {
        if (o.value->kind != NodeKind::Name) return std::nullopt;
        const std::string& name = static_cast<const Name&>(*o.value).name;
        const auto item =
            std::find_if(items.begin(), items.end(), [&](const RowItem& known) { return known.name == name; });
        if (item == items.end()) return std::nullopt;
        keys.push_back({static_cast<size_t>(item - items.begin()), o.ascending, o.nullsGiven, o.nullsFirst});
    }
    return keys;
}

// Whether the order is by one column of numbers or times.
bool isOneNumber(const TableSchema& columns, const std::vector<RowItem>& items, const std::vector<OrderItem>& order) {
    if (order.size() != 1 || order[0].value->kind != NodeKind::Name) return false;
    const std::string& name = static_cast<const Name&>(*order[0].value).name;
    return std::any_of(items.begin(), items.end(), [&](const RowItem& item) {
        const int column = item.value.plainColumn();
        if (item.name != name || column < 0) return false;
        const Type type = columns[static_cast<size_t>(column)].type;
        return isNumeric(type) || isTemporal(type);
    });
}

PlanRef withTopRows(PlanRef plan) {
    PlanNode& sort = *plan;
    if (sort.kind != PlanNode::Kind::Sort || sort.input->kind != PlanNode::Kind::Project) return plan;
    const int64_t needed = static_cast<SortNode&>(sort).needed;
    if (needed > kMaxTopRows || needed == 0) return plan;
    auto& project = static_cast<ProjectNode&>(*sort.input);
    const auto* scan =
        project.input->kind == PlanNode::Kind::Scan ? &static_cast<const ScanNode&>(*project.input) : nullptr;
    if (scan && scan->source.memory() && needed > kMaxTopRowsInMemory &&
        !isOneNumber(scan->source.columns(), project.items, static_cast<SortNode&>(sort).keys))
        return plan;
    std::optional<std::vector<TopKey>> keys = keysAmong(project.items, static_cast<SortNode&>(sort).keys);
    if (!keys) return plan;
    return std::make_unique<TopRowsNode>(std::move(project.input), std::move(project.items), std::move(*keys), needed);
}

}  // namespace

PlanRef optimized(PlanRef plan) {
    if (plan->kind == PlanNode::Kind::Limit) {
        pushLimit(*plan);
        plan->input = withTopRows(std::move(plan->input));
    }
    return plan;
}

}  // namespace pelorus
