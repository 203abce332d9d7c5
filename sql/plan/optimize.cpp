#include "sql/plan/optimize.h"

#include <algorithm>
#include <optional>

#include "common/check.h"
#include "common/error.h"
#include "sql/plan/row_item.h"

namespace pelorus {

namespace {

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

// Returns the rows of a sort and the columns below it as TopRows, where not all are needed. How these are found is
// decided when it is known how many rows there are (physical/row_pipelines.h).
PlanRef topRowsOfSort(PlanRef plan) {
    PlanNode& sort = *plan;
    if (sort.kind != PlanNode::Kind::Sort || sort.input->kind != PlanNode::Kind::Project) return plan;
    const int64_t needed = static_cast<SortNode&>(sort).needed;
    if (needed == INT64_MAX || needed == 0) return plan;
    auto& project = static_cast<ProjectNode&>(*sort.input);
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
