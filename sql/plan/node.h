// The plan of a select: a tree of operators. The binder makes it (bind/bind_select.h), rules improve it
// (plan/optimize.h), explain prints it (explain/plan_text.h), and the executor runs exactly this tree
// (physical/pipelines.h). This file has the base and the nodes of rows; group_nodes.h, window_node.h and
// partition_nodes.h have the others.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/code/query.h"
#include "sql/plan/output_item.h"
#include "sql/plan/row_item.h"
#include "sql/plan/row_source.h"

namespace pelorus {

struct PlanNode;
using PlanRef = std::unique_ptr<PlanNode>;

// An operator and its input. Expressions are over the columns of the input, by their numbers. Running changes no node.
struct PlanNode {
    enum class Kind : uint8_t {
        Constants,
        Scan,
        Filter,
        Project,
        TopRows,
        Collect,
        Aggregate,
        WholeGroups,
        Interval,
        Cumulative,
        CumulativeRows,
        Pivot,
        Window,
        Roll,
        Over,
        PerPartition,
        Phases,
        Distinct,
        Sort,
        Limit
    };

    PlanNode(Kind kind, PlanRef input) : kind(kind), input(std::move(input)) {}
    virtual ~PlanNode() = default;

    // Returns names and types of the columns; VOID where only rows determine the type. Nothing where rows determine
    // which columns there are.
    virtual TableSchema schema(Context& context) const = 0;

    const Kind kind;
    PlanRef input;  // null for Constants and Scan
    int id = 0;     // its number in the plan: see numberNodes
};

// select 1 + 1: one row that reads nothing.
struct ConstantsNode final : PlanNode {
    explicit ConstantsNode(std::vector<BoundItem> items)
        : PlanNode(Kind::Constants, nullptr), items(std::move(items)) {}
    TableSchema schema(Context& context) const override;
    std::vector<BoundItem> items;
};

// Rows of the source that pass the conditions, each of which reads one row.
struct ScanNode final : PlanNode {
    ScanNode(RowSource source, NodeList conditions, std::optional<std::vector<int>> columns = std::nullopt)
        : PlanNode(Kind::Scan, nullptr),
          source(std::move(source)),
          conditions(std::move(conditions)),
          columns(std::move(columns)) {}
    TableSchema schema(Context& context) const override;
    RowSource source;
    NodeList conditions;
    // Numbers of the source's columns that the rows have; nothing where the operator above reads the source block by
    // block, of each the columns that it needs.
    std::optional<std::vector<int>> columns;
    // The source is a table without rows: these are given by the operator that runs the plan which begins here.
    bool isGiven = false;
};

// Rows that pass conditions, one after the other, each over all rows that the one before left.
struct FilterNode final : PlanNode {
    FilterNode(PlanRef rows, std::vector<ExpressionProgram> conditions)
        : PlanNode(Kind::Filter, std::move(rows)), conditions(std::move(conditions)) {}
    TableSchema schema(Context& context) const override;
    std::vector<ExpressionProgram> conditions;
};

// One row for each row of a Scan.
struct ProjectNode final : PlanNode {
    ProjectNode(PlanRef scan, std::vector<RowItem> items)
        : PlanNode(Kind::Project, std::move(scan)), items(std::move(items)) {}
    TableSchema schema(Context& context) const override;
    std::vector<RowItem> items;
    int64_t needed = INT64_MAX;  // nobody reads the rows after so many
};

// The first `count` rows of a Scan in the order of the keys.
struct TopRowsNode final : PlanNode {
    TopRowsNode(PlanRef scan, std::vector<RowItem> items, std::vector<TopKey> keys, int64_t count)
        : PlanNode(Kind::TopRows, std::move(scan)), items(std::move(items)), keys(std::move(keys)), count(count) {}
    TableSchema schema(Context& context) const override;
    std::vector<RowItem> items;
    std::vector<TopKey> keys;
    int64_t count;
};

// Functions of whole columns of the rows.
struct CollectNode final : PlanNode {
    struct Item {
        BoundItem item;
        bool isAggregate = false;    // it holds a call of an aggregate: a constant of it is one cell
        bool isCellOfArray = false;  // an aggregate of an array vector, whose result is one cell: first(v)
    };
    CollectNode(PlanRef rows, std::vector<Item> items)
        : PlanNode(Kind::Collect, std::move(rows)), items(std::move(items)) {}
    TableSchema schema(Context& context) const override;
    std::vector<Item> items;
    bool isOneCell = false;  // aggregates only: exec makes a scalar of it
};

// Each row once, at its first occurrence. The last `hidden` columns, which only an order needs, do not decide.
struct DistinctNode final : PlanNode {
    DistinctNode(PlanRef rows, int hidden) : PlanNode(Kind::Distinct, std::move(rows)), hidden(hidden) {}
    TableSchema schema(Context& context) const override;
    int hidden;
    int64_t needed = INT64_MAX;  // nobody reads the rows after so many
};

struct SortNode final : PlanNode {
    SortNode(PlanRef rows, std::vector<OrderItem> keys)
        : PlanNode(Kind::Sort, std::move(rows)), keys(std::move(keys)) {}
    TableSchema schema(Context& context) const override;
    std::vector<OrderItem> keys;  // over the columns of the input, which rows may determine
    int64_t needed = INT64_MAX;   // nobody reads the rows after so many
};

// Rows selected by top or limit, without the columns that only an order needed.
struct LimitNode final : PlanNode {
    LimitNode(PlanRef rows, int64_t begin, int64_t count, std::vector<std::string> hidden)
        : PlanNode(Kind::Limit, std::move(rows)), begin(begin), count(count), hidden(std::move(hidden)) {}
    TableSchema schema(Context& context) const override;
    int64_t begin, count;  // neither is below 0
    std::vector<std::string> hidden;

    // Returns how many rows from the first on are read.
    int64_t end() const { return count < INT64_MAX - begin ? begin + count : INT64_MAX; }
    bool isAll() const { return begin == 0 && count == INT64_MAX; }
};

// Numbers the nodes of a plan, those of parts that run over given rows included, and returns how many there are.
int numberNodes(PlanNode& plan, int first = 0);

// Returns the scan that a plan begins with; null for constants.
ScanNode* scanOf(PlanNode& plan);
inline const ScanNode* scanOf(const PlanNode& plan) {
    return scanOf(const_cast<PlanNode&>(plan));
}

}  // namespace pelorus
