// The plan of a select: a tree of operators. The binder makes it (bind/bind_select.h), rules improve it
// (plan/optimize.h), explain prints it (explain/plan_text.h), and the executor runs exactly this tree
// (operators/run_plan.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/code/expression.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/plan/row_item.h"
#include "sql/plan/select_plan.h"

namespace pelorus {

struct PlanNode;
using PlanRef = std::unique_ptr<PlanNode>;

struct PlanNode {
    enum class Kind : uint8_t { Constants, Scan, Project, TopRows, Aggregate, Stage, Distinct, Sort, Limit };

    PlanNode(Kind kind, PlanRef input) : kind(kind), input(std::move(input)) {}
    virtual ~PlanNode() = default;

    const Kind kind;
    PlanRef input;  // null for Constants and Scan
};

// select 1 + 1: one row that reads nothing.
struct ConstantsNode final : PlanNode {
    explicit ConstantsNode(std::vector<OutputItem> items)
        : PlanNode(Kind::Constants, nullptr), items(std::move(items)) {}
    std::vector<OutputItem> items;
};

// Rows of the source that pass the conditions, each of which reads one row.
struct ScanNode final : PlanNode {
    ScanNode(RowSource source, NodeList conditions)
        : PlanNode(Kind::Scan, nullptr), source(std::move(source)), conditions(std::move(conditions)) {}
    RowSource source;
    NodeList conditions;
};

// One row for each row of a Scan.
struct ProjectNode final : PlanNode {
    ProjectNode(PlanRef scan, std::vector<RowItem> items)
        : PlanNode(Kind::Project, std::move(scan)), items(std::move(items)) {}
    std::vector<RowItem> items;
    int64_t needed = INT64_MAX;  // nobody reads the rows after so many
};

// The first `count` rows of a Scan in the order of the keys.
struct TopRowsNode final : PlanNode {
    TopRowsNode(PlanRef scan, std::vector<RowItem> items, std::vector<TopKey> keys, int64_t count)
        : PlanNode(Kind::TopRows, std::move(scan)), items(std::move(items)), keys(std::move(keys)), count(count) {}
    std::vector<RowItem> items;
    std::vector<TopKey> keys;
    int64_t count;
};

// Groups of the rows of a Scan, or all of them as one, with the states of their aggregates; the remaining expressions
// of the select list are computed over the groups.
struct AggregateNode final : PlanNode {
    AggregateNode(PlanRef scan, SelectPlan plan, AggregatePlan aggregates)
        : PlanNode(Kind::Aggregate, std::move(scan)), plan(std::move(plan)), aggregates(std::move(aggregates)) {}
    SelectPlan plan;
    AggregatePlan aggregates;
    // A sort follows whose last keys are those of the groups, in separate columns (lastOrderColumn).
    bool keysLast = false;
};

// A stage that still runs at once, from the source to rows: its child Scan is for display only.
struct StageNode final : PlanNode {
    enum class Stage : uint8_t {
        ByPartition,     // the statement in every partition
        Windows,         // f(…) over (…)
        GroupedWindows,  // the same over groups
        WholeGroups,     // group by with functions of all rows of a group
        MapReduce,       // aggregates of scripts over everything
        Interval,        // group by with an interval
        Context,         // context by
        Roll,            // context by with windows that step
        Cumulative,      // cgroup by
        Pivot,           // pivot by
        Collect,         // rows concatenated, for functions of whole columns
    };
    StageNode(PlanRef scan, Stage stage, SelectPlan plan)
        : PlanNode(Kind::Stage, std::move(scan)), stage(stage), plan(std::move(plan)) {}
    Stage stage;
    SelectPlan plan;
};

// Each row once, at its first occurrence. The last `hidden` columns, which only an order needs, do not decide.
struct DistinctNode final : PlanNode {
    DistinctNode(PlanRef rows, int hidden) : PlanNode(Kind::Distinct, std::move(rows)), hidden(hidden) {}
    int hidden;
    int64_t needed = INT64_MAX;  // nobody reads the rows after so many
};

struct SortNode final : PlanNode {
    SortNode(PlanRef rows, std::vector<OrderItem> keys)
        : PlanNode(Kind::Sort, std::move(rows)), keys(std::move(keys)) {}
    std::vector<OrderItem> keys;  // over the columns of the input
    int64_t needed = INT64_MAX;   // nobody reads the rows after so many
};

// Rows selected by top or limit, without the columns that only an order needed.
struct LimitNode final : PlanNode {
    LimitNode(PlanRef rows, int64_t begin, int64_t count, std::vector<std::string> hidden)
        : PlanNode(Kind::Limit, std::move(rows)), begin(begin), count(count), hidden(std::move(hidden)) {}
    int64_t begin, count;  // neither is below 0
    std::vector<std::string> hidden;

    // Returns how many rows from the first on are read.
    int64_t end() const { return count < INT64_MAX - begin ? begin + count : INT64_MAX; }
    bool isAll() const { return begin == 0 && count == INT64_MAX; }
};

}  // namespace pelorus
