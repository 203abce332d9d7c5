#include "sql/plan/optimize.h"

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "sql/plan/row_item.h"

namespace pelorus {

namespace {

// More rows than this are sorted: their other columns are in most blocks, which would be read twice.
constexpr int64_t kMaxTopRows = 10'000;
// Rows of a table in memory cost nothing to read, and are sorted quickly: by several keys, or one that gives no bound
// for later blocks, TopRows is faster for few rows only.
constexpr int64_t kMaxTopRowsInMemory = 500;

PlanRef pushLimit(PlanRef plan) {
    if (plan->kind != PlanNode::Kind::Limit) return plan;
    const PlanNode& limit = *plan;
    const int64_t needed = static_cast<const LimitNode&>(limit).end();
    switch (limit.input->kind) {
        case PlanNode::Kind::Project:
            static_cast<ProjectNode&>(*limit.input).needed = needed;
            break;
        case PlanNode::Kind::Sort:
            static_cast<SortNode&>(*limit.input).needed = needed;
            break;
        case PlanNode::Kind::Distinct:
            static_cast<DistinctNode&>(*limit.input).needed = needed;
            break;
        default:
            break;
    }
    return plan;
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

// Returns the rows of a sort and the columns below it as TopRows, where only a few are needed.
PlanRef topRowsOfSort(PlanRef plan) {
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

PlanRef fuseSortAndLimit(PlanRef plan) {
    if (plan->kind == PlanNode::Kind::Limit) plan->input = topRowsOfSort(std::move(plan->input));
    return plan;
}

constexpr PlanRule kRules[] = {{"push limits down", pushLimit}, {"fuse sort and limit", fuseSortAndLimit}};

// Applies a rule to a plan from its scan up: the statement of each partition has limits of its own.
PlanRef applied(const PlanRule& rule, PlanRef plan) {
    if (plan->input) plan->input = applied(rule, std::move(plan->input));
    return rule.apply(std::move(plan));
}

// Whether this build pays for knowing the columns of each plan.
bool checksColumns() {
    bool checks = false;
    DCHECK((checks = true)) << "evaluated in builds with checks";
    return checks;
}

// "place INT, half DOUBLE"
std::string columnsString(const PlanNode& plan, Context& context) {
    std::string string;
    for (const ColumnSchema& column : plan.schema(context))
        string += (string.empty() ? "" : ", ") + column.name + " " + std::string(typeName(column.type));
    return string;
}

}  // namespace

std::span<const PlanRule> planRules() {
    return kRules;
}

PlanRef optimized(PlanRef plan, Context& context) {
    const bool checks = checksColumns();
    for (const PlanRule& rule : kRules) {
        const std::string before = checks ? columnsString(*plan, context) : "";
        plan = applied(rule, std::move(plan));
        if (!checks) continue;
        CHECK(columnsString(*plan, context) == before) << "a rule keeps the columns of a plan: " << rule.name;
    }
    return plan;
}

}  // namespace pelorus
